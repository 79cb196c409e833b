import { DispatchConfig, provideConfig } from '@app/config';
import { InheritanceModule } from '@app/entity-contexts';
import { DispatchModule } from '@app/dispatch';
import { EnvironmentsModule } from '@app/environments';
import { ExecutionsModule, RunnablesModule } from '@app/executions';
import { ModelsModule } from '@app/models';
import { ProjectLookupModule } from '@app/projects';
import { ResourcesModule } from '@app/resources';
import { Module } from '@nestjs/common';
import { ConnectedWorkerService } from './workers/connected-worker.service.js';
import { HeldLeasesService } from './leases/held-leases.service.js';
import { ManagedQueueService } from './queues/managed-queue.service.js';
import { RunAssembler } from './leases/run-assembler.js';
import { RunCandidatesService } from './leases/run-candidates.service.js';
import { RunEnvironmentsModule } from './variables/run-environments.module.js';
import { RunKnowledgeService } from './leases/run-knowledge.service.js';
import { RunModelsService } from './leases/run-models.service.js';
import { RunPlanService } from './leases/run-plan.service.js';
import { RunPreparationService } from './leases/run-preparation.service.js';
import { WorkerChannels } from './workers/worker-channels.js';

@Module({
  imports: [
    DispatchModule,
    EnvironmentsModule,
    ExecutionsModule,
    InheritanceModule,
    ModelsModule,
    ProjectLookupModule,
    ResourcesModule,
    RunEnvironmentsModule,
    RunnablesModule,
  ],
  providers: [
    provideConfig(DispatchConfig),
    RunModelsService,
    RunAssembler,
    RunCandidatesService,
    RunKnowledgeService,
    RunPlanService,
    RunPreparationService,
    ConnectedWorkerService,
    HeldLeasesService,
    ManagedQueueService,
    WorkerChannels,
  ],
  exports: [
    ConnectedWorkerService,
    HeldLeasesService,
    ManagedQueueService,
    RunKnowledgeService,
    RunPlanService,
    WorkerChannels,
  ],
})
export class OrchestrationModule {}
