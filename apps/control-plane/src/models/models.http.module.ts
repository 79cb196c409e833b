import { ModelsModule } from '@app/models';
import { Module } from '@nestjs/common';
import { ModelsController } from './models.controller.js';

@Module({ imports: [ModelsModule], controllers: [ModelsController] })
export class ModelsHttpModule {}
