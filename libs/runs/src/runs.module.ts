import { AgentsModule } from '@app/agents';
import { DispatchConfig, ModelGatewayConfig, provideConfig } from '@app/config';
import { EnvironmentsModule } from '@app/environments';
import { ExecutionsModule } from '@app/executions';
import { ModelsModule } from '@app/models';
import { TeamsModule } from '@app/teams';
import { Module } from '@nestjs/common';
import { ConnectedWorkerService } from './connected-worker.service.js';
import { RunAssembler } from './run-assembler.js';

@Module({
  imports: [AgentsModule, EnvironmentsModule, ExecutionsModule, ModelsModule, TeamsModule],
  providers: [provideConfig(DispatchConfig), provideConfig(ModelGatewayConfig), RunAssembler, ConnectedWorkerService],
  exports: [ConnectedWorkerService],
})
export class RunsModule {}
