import { SkillsModule } from '@app/skills';
import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AgentEntity } from './agent.entity.js';
import { AgentRepository } from './agent.repository.js';
import { AgentService } from './agent.service.js';
import { AgentSource } from './agent.source.js';

@Module({
  imports: [TypeOrmModule.forFeature([AgentEntity]), SkillsModule],
  providers: [AgentRepository, AgentService, AgentSource],
  exports: [AgentService],
})
export class AgentsModule {}
