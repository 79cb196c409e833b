export { DispatchModule } from './dispatch.module.js';
export { DispatchHandlersModule } from './dispatch.handlers.module.js';
export { Outbox } from './outbox/outbox.js';
export { OutboxTopic, TopicHandler } from './outbox/outbox-topic.js';
export { PeriodicTask } from './periodic/periodic-task.js';
export type { Delivery, ReceiveOptions } from './task-queues/delivery.js';
export { StoreWatch } from './task-queues/store-watch.js';
export { TaskQueues } from './task-queues/task-queues.js';
