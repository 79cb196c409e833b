import { IdentityModule } from '@app/identity';
import { Module } from '@nestjs/common';
import { UsersController } from './users.controller.js';

@Module({ imports: [IdentityModule], controllers: [UsersController] })
export class UsersHttpModule {}
