import { TasksModule } from '@app/tasks';
import { Module } from '@nestjs/common';
import { TasksController } from './tasks.controller.js';

@Module({ imports: [TasksModule], controllers: [TasksController] })
export class TasksHttpModule {}
