import { ExecutionsModule, RunnablesModule } from '@app/executions';
import { JobsModule } from '@app/jobs';
import { RequestedRunsModule } from '@app/runs';
import { Module } from '@nestjs/common';
import { BulkExecutionService } from './bulk-execution.service.js';
import { RerunService } from './rerun.service.js';

/** Repeats executions, and applies one action to many executions. */
@Module({
  imports: [ExecutionsModule, JobsModule, RequestedRunsModule, RunnablesModule],
  providers: [RerunService, BulkExecutionService],
  exports: [RerunService, BulkExecutionService],
})
export class RerunsModule {}
