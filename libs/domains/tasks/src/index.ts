export { TasksModule } from './tasks.module.js';
export { TaskService } from './task.service.js';
export type { Task } from './task.types.js';
