import { InheritanceModule } from '@app/entity-contexts';
import { EnvironmentsModule } from '@app/environments';
import { ExecutionsModule, RunnablesModule } from '@app/executions';
import { ModelsModule } from '@app/models';
import { ProjectLookupModule } from '@app/projects';
import { Module } from '@nestjs/common';
import { RequestedRunService } from './requested-run.service.js';
import { RunEnvironmentsModule } from '../variables/run-environments.module.js';
import { RunModelsService } from '../leases/run-models.service.js';
import { RunPreviewService } from './run-preview.service.js';
import { RunQueuesService } from './run-queues.service.js';

/** Starts runs. Separate from `OrchestrationModule`, which serves workers and depends on their configuration. */
@Module({
  imports: [
    EnvironmentsModule,
    ExecutionsModule,
    InheritanceModule,
    ModelsModule,
    ProjectLookupModule,
    RunEnvironmentsModule,
    RunnablesModule,
  ],
  providers: [RequestedRunService, RunModelsService, RunPreviewService, RunQueuesService],
  exports: [RequestedRunService, RunPreviewService],
})
export class RequestedRunsModule {}
