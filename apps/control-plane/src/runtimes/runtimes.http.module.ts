import { EnvironmentsModule } from '@app/environments';
import { Module } from '@nestjs/common';
import { RuntimesController } from './runtimes.controller.js';

@Module({ imports: [EnvironmentsModule], controllers: [RuntimesController] })
export class RuntimesHttpModule {}
