import { DispatchConfig, ModelGatewayConfig, provideConfig } from '@app/config';
import { InheritanceModule } from '@app/context';
import { DispatchModule } from '@app/dispatch';
import { EnvironmentsModule } from '@app/environments';
import { ExecutionsModule, RunnablesModule } from '@app/executions';
import { ModelsModule } from '@app/models';
import { ProjectLookupModule } from '@app/projects';
import { ResourcesModule } from '@app/resources';
import { Module } from '@nestjs/common';
import { ConnectedWorkerService } from './connected-worker.service.js';
import { RunAssembler } from './run-assembler.js';
import { RunCandidates } from './run-candidates.service.js';
import { RunEnvironments } from './run-environments.service.js';
import { RunKnowledge } from './run-knowledge.service.js';
import { RunModels } from './run-models.service.js';
import { RunPlanService } from './run-plan.service.js';
import { RunPreparation } from './run-preparation.service.js';
import { WorkerChannels } from './worker-channels.js';
import { WorkerStartService } from './worker-start.service.js';

@Module({
  imports: [
    DispatchModule,
    EnvironmentsModule,
    ExecutionsModule,
    InheritanceModule,
    ModelsModule,
    ProjectLookupModule,
    ResourcesModule,
    RunnablesModule,
  ],
  providers: [
    provideConfig(DispatchConfig),
    provideConfig(ModelGatewayConfig),
    RunEnvironments,
    RunModels,
    RunAssembler,
    RunCandidates,
    RunKnowledge,
    RunPlanService,
    RunPreparation,
    ConnectedWorkerService,
    WorkerStartService,
    WorkerChannels,
  ],
  exports: [ConnectedWorkerService, RunKnowledge, RunPlanService, WorkerChannels, WorkerStartService],
})
export class RunsModule {}
