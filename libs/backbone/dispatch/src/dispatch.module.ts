import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { TypeOrmModule } from '@nestjs/typeorm';
import { OutboxEntity } from './outbox/outbox.entity.js';
import { Outbox } from './outbox/outbox.js';
import { OutboxRepository } from './outbox/outbox.repository.js';
import { Relay } from './outbox/relay.js';
import { TopicHandlers } from './outbox/topic-handlers.js';
import { QueueProcessors } from './queues/queue-processors.js';
import { BullQueues } from './task-queues/bull-queues.js';
import { RedisRestartDetector } from './task-queues/redis-restart-detector.js';
import { QueueNotifications } from './task-queues/queue-notifications.js';
import { TaskQueueDeletedHandler } from './task-queues/task-queue-deleted.handler.js';
import { TaskQueues } from './task-queues/task-queues.js';
import { WorkerSignals } from './workers/worker-signals.js';

/** The outbox with its relay, the task queues, and the shutdown of the queues that domains register. */
@Module({
  imports: [DiscoveryModule, TypeOrmModule.forFeature([OutboxEntity])],
  providers: [
    OutboxRepository,
    TopicHandlers,
    Relay,
    Outbox,
    BullQueues,
    QueueNotifications,
    TaskQueues,
    TaskQueueDeletedHandler,
    RedisRestartDetector,
    QueueProcessors,
    WorkerSignals,
  ],
  exports: [OutboxRepository, Outbox, Relay, TaskQueues, RedisRestartDetector, WorkerSignals],
})
export class DispatchModule {}
