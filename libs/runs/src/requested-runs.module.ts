import { EnvironmentsModule } from '@app/environments';
import { ExecutionsModule, RunnablesModule } from '@app/executions';
import { ProjectLookupModule } from '@app/projects';
import { ResourcesModule } from '@app/resources';
import { Module } from '@nestjs/common';
import { RequestedRunService } from './requested-run.service.js';
import { RunEnvironments } from './run-environments.service.js';
import { RunQueues } from './run-queues.service.js';

/** Starts runs. Separate from `RunsModule`, which serves workers and depends on their configuration. */
@Module({
  imports: [EnvironmentsModule, ExecutionsModule, ProjectLookupModule, ResourcesModule, RunnablesModule],
  providers: [RequestedRunService, RunEnvironments, RunQueues],
  exports: [RequestedRunService],
})
export class RequestedRunsModule {}
