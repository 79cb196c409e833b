import { TeamsModule } from '@app/teams';
import { Module } from '@nestjs/common';
import { TeamMembersController } from './team-members.controller.js';
import { TeamsController } from './teams.controller.js';

@Module({ imports: [TeamsModule], controllers: [TeamsController, TeamMembersController] })
export class TeamsHttpModule {}
