import { EntityContextsModule } from '@app/entity-contexts';
import { Module } from '@nestjs/common';
import { ContextController } from './context.controller.js';
import { InheritanceController } from './inheritance.controller.js';

@Module({ imports: [EntityContextsModule], controllers: [ContextController, InheritanceController] })
export class ContextHttpModule {}
