import { EnvironmentsModule } from '@app/environments';
import { ExecutionsModule } from '@app/executions';
import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AgentEntity } from './agent.entity.js';
import { AgentRunService } from './agent-run.service.js';
import { AgentRepository } from './agent.repository.js';
import { AgentService } from './agent.service.js';
import { RequestedRunService } from './requested-run.service.js';

@Module({
  imports: [TypeOrmModule.forFeature([AgentEntity]), EnvironmentsModule, ExecutionsModule],
  providers: [AgentRepository, AgentService, AgentRunService, RequestedRunService],
  exports: [AgentService, AgentRunService, RequestedRunService],
})
export class AgentsModule {}
