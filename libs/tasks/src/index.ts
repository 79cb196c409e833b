export { TasksModule } from './tasks.module.js';
export { TaskService } from './task.service.js';
export type { StartTask, Task } from './task.types.js';
