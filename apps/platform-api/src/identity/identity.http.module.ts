import { IdentityModule } from '@app/identity';
import { Module } from '@nestjs/common';
import { IdentityController } from './identity.controller.js';
import { KeysController } from './keys.controller.js';

@Module({ imports: [IdentityModule], controllers: [KeysController, IdentityController] })
export class IdentityHttpModule {}
