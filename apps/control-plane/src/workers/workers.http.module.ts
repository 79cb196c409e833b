import { ModelGatewayConfig, provideConfig } from '@app/config';
import { EnvironmentsModule } from '@app/environments';
import { RunsModule } from '@app/runs';
import { Module } from '@nestjs/common';
import { PublicAddressModule } from '../public-address/public-address.module.js';
import { QueueWorkersController } from './queue-workers.controller.js';
import { WorkerSurroundings } from './worker-surroundings.js';
import { WorkersController } from './workers.controller.js';

@Module({
  imports: [EnvironmentsModule, PublicAddressModule, RunsModule],
  controllers: [WorkersController, QueueWorkersController],
  providers: [provideConfig(ModelGatewayConfig), WorkerSurroundings],
})
export class WorkersHttpModule {}
