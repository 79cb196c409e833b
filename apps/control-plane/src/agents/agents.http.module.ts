import { AgentsModule } from '@app/agents';
import { EnvironmentsModule } from '@app/environments';
import { ProjectLookupModule } from '@app/projects';
import { RequestedRunsModule } from '@app/orchestration';
import { SkillsModule } from '@app/skills';
import { ModelsModule } from '@app/models';
import { Module } from '@nestjs/common';
import { AgentPresenter } from './agent.presenter.js';
import { AgentsController } from './agents.controller.js';

@Module({
  imports: [ModelsModule, AgentsModule, EnvironmentsModule, ProjectLookupModule, RequestedRunsModule, SkillsModule],
  controllers: [AgentsController],
  providers: [AgentPresenter],
  exports: [AgentPresenter],
})
export class AgentsHttpModule {}
