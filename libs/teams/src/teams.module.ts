import { AgentsModule } from '@app/agents';
import { EnvironmentsModule } from '@app/environments';
import { ExecutionsModule } from '@app/executions';
import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { TeamEntity } from './team.entity.js';
import { TeamRunService } from './team-run.service.js';
import { TeamRepository } from './team.repository.js';
import { TeamService } from './team.service.js';

@Module({
  imports: [TypeOrmModule.forFeature([TeamEntity]), AgentsModule, EnvironmentsModule, ExecutionsModule],
  providers: [TeamRepository, TeamService, TeamRunService],
  exports: [TeamService, TeamRunService],
})
export class TeamsModule {}
