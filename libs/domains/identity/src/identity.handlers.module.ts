import { IdentityConfig, provideConfig, RetentionConfig } from '@app/config';
import { DispatchHandlersModule } from '@app/dispatch';
import { Module } from '@nestjs/common';
import { IdentityModule } from './identity.module.js';
import { KeyRetentionTask } from './keys/key-retention.task.js';

/** The periodic tasks of identity, run by the dispatcher role. */
@Module({
  imports: [DispatchHandlersModule, IdentityModule],
  providers: [provideConfig(IdentityConfig), provideConfig(RetentionConfig), KeyRetentionTask],
})
export class IdentityHandlersModule {}
