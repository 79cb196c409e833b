export { DispatchModule } from './dispatch.module.js';
export { DispatchHandlersModule } from './dispatch.handlers.module.js';
export { Outbox, type OutboxDraft, type PartialOutboxDraft } from './outbox/outbox.js';
export { insertCompletedOutboxRow, insertOutboxRows } from './outbox/outbox.sql.js';
export { OutboxTopic, TopicHandler, type RelayContext } from './outbox/outbox-topic.js';
/** @public No domain of this version has a queue that is known at start. */
export { dispatchQueue } from './queues/dispatch-queue.js';
export { PeriodicTasks } from './periodic/periodic-tasks.js';
export type { Delivery, ReceiveOptions } from './task-queues/delivery.js';
export { RedisRestartDetector, type UnseenRun } from './task-queues/redis-restart-detector.js';
export { taskQueueDeleted } from './task-queues/task-queue-deleted.handler.js';
export { TaskQueues } from './task-queues/task-queues.js';
