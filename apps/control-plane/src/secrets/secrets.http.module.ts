import { ResourcesModule } from '@app/resources';
import { Module } from '@nestjs/common';
import { SecretsController } from './secrets.controller.js';

@Module({ imports: [ResourcesModule], controllers: [SecretsController] })
export class SecretsHttpModule {}
