import { ModelGatewayConfig, provideConfig } from '@app/config';
import { EnvironmentsModule } from '@app/environments';
import { FairShareModule } from '@app/rate-limits';
import { ResourcesModule } from '@app/resources';
import { ExecutionsModule } from '@app/executions';
import { OrchestrationModule } from '@app/orchestration';
import { Module } from '@nestjs/common';
import { AgentsHttpModule } from '../agents/agents.http.module.js';
import { PublicAddressModule } from '../public-address/public-address.module.js';
import { TeamsHttpModule } from '../teams/teams.http.module.js';
import { LeasePresenter } from './lease.presenter.js';
import { QueueWorkersController } from './queue-workers.controller.js';
import { WorkerConnectionInfo } from './worker-connection-info.js';
import { WorkerReportsController } from './reports/worker-reports.controller.js';
import { WorkerReports } from './reports/worker-reports.js';
import { WorkerLeasesController } from './worker-leases.controller.js';
import { WorkersController } from './workers.controller.js';

@Module({
  imports: [
    AgentsHttpModule,
    EnvironmentsModule,
    ExecutionsModule,
    FairShareModule,
    PublicAddressModule,
    ResourcesModule,
    OrchestrationModule,
    TeamsHttpModule,
  ],
  controllers: [WorkersController, QueueWorkersController, WorkerLeasesController, WorkerReportsController],
  providers: [provideConfig(ModelGatewayConfig), LeasePresenter, WorkerConnectionInfo, WorkerReports],
  exports: [LeasePresenter],
})
export class WorkersHttpModule {}
