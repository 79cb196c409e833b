import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { TypeOrmModule } from '@nestjs/typeorm';
import { OutboxEntity } from './outbox/outbox.entity.js';
import { Outbox } from './outbox/outbox.js';
import { OutboxRepository } from './outbox/outbox.repository.js';
import { Relay } from './outbox/relay.js';
import { TopicHandlers } from './outbox/topic-handlers.js';
import { BullQueues } from './task-queues/bull-queues.js';
import { StoreWatch } from './task-queues/store-watch.js';
import { TaskQueues } from './task-queues/task-queues.js';
import { WakeUps } from './task-queues/wake-ups.js';

/** The outbox with its relay, and the task queues. */
@Module({
  imports: [DiscoveryModule, TypeOrmModule.forFeature([OutboxEntity])],
  providers: [OutboxRepository, TopicHandlers, Relay, Outbox, BullQueues, WakeUps, TaskQueues, StoreWatch],
  exports: [Outbox, OutboxRepository, Relay, TaskQueues, StoreWatch],
})
export class DispatchModule {}
