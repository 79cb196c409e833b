import { EnvironmentsModule } from '@app/environments';
import { ExecutionsModule, RunnablesModule } from '@app/executions';
import { ProjectLookupModule } from '@app/projects';
import { Module } from '@nestjs/common';
import { RequestedRunService } from './requested-run.service.js';
import { RunEnvironmentsModule } from '../variables/run-environments.module.js';
import { RunQueuesService } from './run-queues.service.js';

/** Starts runs. Separate from `RunsModule`, which serves workers and depends on their configuration. */
@Module({
  imports: [EnvironmentsModule, ExecutionsModule, ProjectLookupModule, RunEnvironmentsModule, RunnablesModule],
  providers: [RequestedRunService, RunQueuesService],
  exports: [RequestedRunService],
})
export class RequestedRunsModule {}
