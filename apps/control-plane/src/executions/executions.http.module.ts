import { EnvironmentsModule } from '@app/environments';
import { ExecutionsModule } from '@app/executions';
import { IdentityModule } from '@app/identity';
import { PoliciesModule } from '@app/policies';
import { JobsModule } from '@app/jobs';
import { OrchestrationModule } from '@app/orchestration';
import { Module } from '@nestjs/common';
import { WorkersHttpModule } from '../workers/workers.http.module.js';
import { ExecutionEventsController } from './events/execution-events.controller.js';
import { ExecutionStreams } from './events/execution-streams.js';
import { StreamHints } from './events/stream-hints.js';
import { ExecutionFilesController } from './execution-files.controller.js';
import { ExecutionKnowledgeController } from './execution-knowledge.controller.js';
import { ExecutionPlanController } from './execution-plan.controller.js';
import { ExecutionRerunsController } from './execution-reruns.controller.js';
import { ExecutionStepsController } from './execution-steps.controller.js';
import { ExecutionSummariesController } from './execution-summaries.controller.js';
import { ExecutionTasksController } from './execution-tasks.controller.js';
import { ExecutionsController } from './executions.controller.js';
import { ExecutionMessagesController } from './messages/execution-messages.controller.js';
import { WorkerConversationController } from './messages/worker-conversation.controller.js';
import { ExecutionTimelineController } from './timeline/execution-timeline.controller.js';
import { ExecutionTimelinePresenter } from './timeline/execution-timeline.presenter.js';

@Module({
  imports: [
    EnvironmentsModule,
    ExecutionsModule,
    IdentityModule,
    PoliciesModule,
    JobsModule,
    OrchestrationModule,
    WorkersHttpModule,
  ],
  providers: [ExecutionStreams, ExecutionTimelinePresenter, StreamHints],
  controllers: [
    ExecutionsController,
    ExecutionMessagesController,
    WorkerConversationController,
    ExecutionSummariesController,
    ExecutionKnowledgeController,
    ExecutionStepsController,
    ExecutionFilesController,
    ExecutionRerunsController,
    ExecutionTimelineController,
    ExecutionEventsController,
    ExecutionTasksController,
    ExecutionPlanController,
  ],
  exports: [ExecutionStreams],
})
export class ExecutionsHttpModule {}
