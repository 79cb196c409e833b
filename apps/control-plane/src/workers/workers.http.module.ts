import { AgentsModule } from '@app/agents';
import { DispatchConfig, ModelGatewayConfig, provideConfig } from '@app/config';
import { EnvironmentsModule } from '@app/environments';
import { ExecutionsModule } from '@app/executions';
import { ModelsModule } from '@app/models';
import { TeamsModule } from '@app/teams';
import { Module } from '@nestjs/common';
import { PublicAddressModule } from '../public-address/public-address.module.js';
import { LeaseAssembler } from './lease.assembler.js';
import { QueueWorkersController } from './queue-workers.controller.js';
import { WorkerProtocol } from './worker-protocol.js';
import { WorkerSurroundings } from './worker-surroundings.js';
import { WorkersController } from './workers.controller.js';

@Module({
  imports: [AgentsModule, EnvironmentsModule, ExecutionsModule, ModelsModule, PublicAddressModule, TeamsModule],
  controllers: [WorkersController, QueueWorkersController],
  providers: [
    provideConfig(DispatchConfig),
    provideConfig(ModelGatewayConfig),
    LeaseAssembler,
    WorkerProtocol,
    WorkerSurroundings,
  ],
})
export class WorkersHttpModule {}
