import { ContextModule } from '@app/context';
import { Module } from '@nestjs/common';
import { ContextController } from './context.controller.js';
import { InheritanceController } from './inheritance.controller.js';

@Module({ imports: [ContextModule], controllers: [ContextController, InheritanceController] })
export class ContextHttpModule {}
