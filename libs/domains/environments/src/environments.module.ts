import { provideConfig, ProvisioningConfig } from '@app/config';
import { OutboxTopicsModule, taskQueueDeleted } from '@app/dispatch';
import { SkillsModule } from '@app/skills';
import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { EnvironmentEntity } from './environments/environment.entity.js';
import { EnvironmentProvisioner } from './environments/environment-provisioner.js';
import { EnvironmentRepository } from './environments/environment.repository.js';
import { EnvironmentResolver } from './environments/environment.resolver.js';
import { EnvironmentService } from './environments/environment.service.js';
import { RunnerEntity } from './runners/runner.entity.js';
import { RunnerRepository } from './runners/runner.repository.js';
import { RunnerService } from './runners/runner.service.js';
import { QueueRouter } from './worker-queues/queue-router.js';
import { WorkerQueueAnnouncer } from './worker-queues/worker-queue-announcer.js';
import { WorkerQueueEntity } from './worker-queues/worker-queue.entity.js';
import { WorkerQueueRepository } from './worker-queues/worker-queue.repository.js';
import { WorkerQueueService } from './worker-queues/worker-queue.service.js';
import { WorkerRegistrationService } from './workers/worker-registration.service.js';
import { WorkerEntity } from './workers/worker.entity.js';
import { WorkerRepository } from './workers/worker.repository.js';
import { WorkerService } from './workers/worker.service.js';

@Module({
  imports: [
    TypeOrmModule.forFeature([EnvironmentEntity, RunnerEntity, WorkerQueueEntity, WorkerEntity]),
    OutboxTopicsModule.forFeature(taskQueueDeleted),
    SkillsModule,
  ],
  providers: [
    provideConfig(ProvisioningConfig),
    EnvironmentRepository,
    RunnerRepository,
    RunnerService,
    WorkerQueueRepository,
    WorkerRepository,
    EnvironmentService,
    EnvironmentProvisioner,
    EnvironmentResolver,
    WorkerQueueAnnouncer,
    WorkerQueueService,
    QueueRouter,
    WorkerService,
    WorkerRegistrationService,
  ],
  exports: [
    WorkerRepository,
    EnvironmentService,
    EnvironmentProvisioner,
    RunnerService,
    WorkerQueueService,
    QueueRouter,
    WorkerService,
    WorkerRegistrationService,
  ],
})
export class EnvironmentsModule {}
