import { ResourcesModule } from '@app/resources';
import { Module } from '@nestjs/common';
import { KnowledgeController } from './knowledge.controller.js';

@Module({ imports: [ResourcesModule], controllers: [KnowledgeController] })
export class KnowledgeHttpModule {}
