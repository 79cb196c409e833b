import { ModelsModule } from '@app/models';
import { Module } from '@nestjs/common';
import { CatalogueStart } from './catalogue-start.js';
import { ModelsController } from './models.controller.js';

@Module({ imports: [ModelsModule], controllers: [ModelsController], providers: [CatalogueStart] })
export class ModelsHttpModule {}
