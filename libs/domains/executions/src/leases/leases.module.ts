import { DispatchModule } from '@app/dispatch';
import { Module } from '@nestjs/common';
import { ExecutionLifecycleModule } from '../executions/execution-lifecycle.module.js';
import { LifecycleModule } from '../lifecycle/lifecycle.module.js';
import { WorkStopsModule } from '../stops/work-stops.module.js';
import { ExecutionFence } from './execution-fence.js';
import { LeaseReleaseService } from './lease-release.service.js';
import { LeaseRepository } from './lease.repository.js';
import { LeaseService } from './lease.service.js';

@Module({
  imports: [DispatchModule, LifecycleModule, ExecutionLifecycleModule, WorkStopsModule],
  providers: [LeaseRepository, LeaseService, LeaseReleaseService, ExecutionFence],
  exports: [LeaseRepository, LeaseService, LeaseReleaseService, ExecutionFence],
})
export class LeasesModule {}
