import { ConnectionsModule } from '@app/connections';
import { DatabaseModule } from '@app/database';
import { HttpModule } from '@app/http';
import { IdentityModule } from '@app/identity';
import { Module } from '@nestjs/common';
import { DispatcherModule } from './dispatcher.module.js';

/** A dispatcher beside separate HTTP processes: it answers nothing but its health. */
@Module({ imports: [DatabaseModule, ConnectionsModule, HttpModule, IdentityModule, DispatcherModule] })
export class DispatcherOnlyModule {}
