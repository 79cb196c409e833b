import { EnvironmentsModule } from '@app/environments';
import { Module } from '@nestjs/common';
import { EnvironmentsController } from './environments.controller.js';

@Module({ imports: [EnvironmentsModule], controllers: [EnvironmentsController] })
export class EnvironmentsHttpModule {}
