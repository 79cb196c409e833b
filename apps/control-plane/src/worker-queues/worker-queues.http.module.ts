import { EnvironmentsModule } from '@app/environments';
import { ExecutionsModule } from '@app/executions';
import { Module } from '@nestjs/common';
import { EnvironmentWorkerQueuesController } from './environment-worker-queues.controller.js';
import { WorkerQueuesController } from './worker-queues.controller.js';

@Module({
  imports: [EnvironmentsModule, ExecutionsModule],
  controllers: [EnvironmentWorkerQueuesController, WorkerQueuesController],
})
export class WorkerQueuesHttpModule {}
