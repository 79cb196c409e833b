import { EnvironmentsModule } from '@app/environments';
import { ExecutionsModule } from '@app/executions';
import { PoliciesModule } from '@app/policies';
import { RerunsModule } from '@app/reruns';
import { RunsModule } from '@app/runs';
import { Module } from '@nestjs/common';
import { ExecutionFilesController } from './execution-files.controller.js';
import { ExecutionConversationController } from './execution-conversation.controller.js';
import { ExecutionKnowledgeController } from './execution-knowledge.controller.js';
import { ExecutionRerunsController } from './execution-reruns.controller.js';
import { ExecutionSessionController } from './execution-session.controller.js';
import { ExecutionStepsController } from './execution-steps.controller.js';
import { ExecutionTimelineController } from './execution-timeline.controller.js';
import { ExecutionSummariesController } from './execution-summaries.controller.js';
import { ExecutionsController } from './executions.controller.js';

@Module({
  imports: [EnvironmentsModule, ExecutionsModule, PoliciesModule, RerunsModule, RunsModule],
  controllers: [
    ExecutionsController,
    ExecutionSessionController,
    ExecutionConversationController,
    ExecutionSummariesController,
    ExecutionKnowledgeController,
    ExecutionStepsController,
    ExecutionFilesController,
    ExecutionRerunsController,
    ExecutionTimelineController,
  ],
})
export class ExecutionsHttpModule {}
