export { DispatchModule } from './dispatch.module.js';
export { DispatchHandlersModule } from './dispatch.handlers.module.js';
export { Outbox, type OutboxDraft } from './outbox/outbox.js';
export { insertOutboxRows } from './outbox/outbox.sql.js';
export { OutboxTopic, TopicHandler } from './outbox/outbox-topic.js';
export { PeriodicTask } from './periodic/periodic-task.js';
export type { Delivery, ReceiveOptions } from './task-queues/delivery.js';
export { StoreWatch, type UnseenRun } from './task-queues/store-watch.js';
export { TaskQueues } from './task-queues/task-queues.js';
