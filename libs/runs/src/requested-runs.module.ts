import { EnvironmentsModule } from '@app/environments';
import { ExecutionsModule, RunnablesModule } from '@app/executions';
import { ProjectLookupModule } from '@app/projects';
import { ResourcesModule } from '@app/resources';
import { Module } from '@nestjs/common';
import { RequestedRunService } from './requested-run.service.js';
import { RunEnvironmentsService } from './run-environments.service.js';
import { RunQueuesService } from './run-queues.service.js';

/** Starts runs. Separate from `RunsModule`, which serves workers and depends on their configuration. */
@Module({
  imports: [EnvironmentsModule, ExecutionsModule, ProjectLookupModule, ResourcesModule, RunnablesModule],
  providers: [RequestedRunService, RunEnvironmentsService, RunQueuesService],
  exports: [RequestedRunService],
})
export class RequestedRunsModule {}
