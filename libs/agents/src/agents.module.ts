import { EnvironmentsModule } from '@app/environments';
import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AgentEntity } from './agent.entity.js';
import { AgentRepository } from './agent.repository.js';
import { AgentService } from './agent.service.js';

@Module({
  imports: [TypeOrmModule.forFeature([AgentEntity]), EnvironmentsModule],
  providers: [AgentRepository, AgentService],
  exports: [AgentService],
})
export class AgentsModule {}
