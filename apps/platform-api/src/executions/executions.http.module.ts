import { ExecutionsModule } from '@app/executions';
import { Module } from '@nestjs/common';
import { ExecutionsController } from './executions.controller.js';

@Module({ imports: [ExecutionsModule], controllers: [ExecutionsController] })
export class ExecutionsHttpModule {}
