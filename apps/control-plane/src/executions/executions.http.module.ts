import { ExecutionsModule } from '@app/executions';
import { Module } from '@nestjs/common';
import { ExecutionSessionController } from './execution-session.controller.js';
import { ExecutionsController } from './executions.controller.js';

@Module({ imports: [ExecutionsModule], controllers: [ExecutionsController, ExecutionSessionController] })
export class ExecutionsHttpModule {}
