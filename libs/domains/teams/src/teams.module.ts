import { AgentsModule } from '@app/agents';
import { SkillsModule } from '@app/skills';
import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { TeamMemberService } from './team-member.service.js';
import { TeamEntity } from './team.entity.js';
import { TeamRepository } from './team.repository.js';
import { TeamService } from './team.service.js';
import { TeamSource } from './team.source.js';

@Module({
  imports: [TypeOrmModule.forFeature([TeamEntity]), AgentsModule, SkillsModule],
  providers: [TeamRepository, TeamService, TeamMemberService, TeamSource],
  exports: [TeamMemberService, TeamService],
})
export class TeamsModule {}
