import { EnvironmentsModule } from '@app/environments';
import { ExecutionsModule } from '@app/executions';
import { QueueSamplesModule, OrchestrationModule } from '@app/orchestration';
import { Module } from '@nestjs/common';
import { EnvironmentWorkerQueuesController } from './environment-worker-queues.controller.js';
import { QueueLoadController } from './queue-load.controller.js';
import { QueueLoadPresenter } from './queue-load.presenter.js';
import { WorkerQueuesController } from './worker-queues.controller.js';

@Module({
  imports: [EnvironmentsModule, ExecutionsModule, QueueSamplesModule, OrchestrationModule],
  providers: [QueueLoadPresenter],
  controllers: [EnvironmentWorkerQueuesController, WorkerQueuesController, QueueLoadController],
})
export class WorkerQueuesHttpModule {}
