import { AgentsModule } from '@app/agents';
import { EnvironmentsModule } from '@app/environments';
import { ProjectLookupModule } from '@app/projects';
import { RequestedRunsModule } from '@app/orchestration';
import { SkillsModule } from '@app/skills';
import { TeamsModule } from '@app/teams';
import { ModelsModule } from '@app/models';
import { Module } from '@nestjs/common';
import { AgentsHttpModule } from '../agents/agents.http.module.js';
import { TeamMembersController } from './team-members.controller.js';
import { TeamPresenter } from './team.presenter.js';
import { TeamsController } from './teams.controller.js';

@Module({
  imports: [
    ModelsModule,
    AgentsHttpModule,
    AgentsModule,
    EnvironmentsModule,
    ProjectLookupModule,
    RequestedRunsModule,
    SkillsModule,
    TeamsModule,
  ],
  controllers: [TeamsController, TeamMembersController],
  providers: [TeamPresenter],
  exports: [TeamPresenter],
})
export class TeamsHttpModule {}
