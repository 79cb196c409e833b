import { ResourcesModule } from '@app/resources';
import { Module } from '@nestjs/common';
import { IntegrationsController } from './integrations.controller.js';

@Module({ imports: [ResourcesModule], controllers: [IntegrationsController] })
export class IntegrationsHttpModule {}
