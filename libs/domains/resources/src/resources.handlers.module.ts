import { DispatchHandlersModule } from '@app/dispatch';
import { Module } from '@nestjs/common';
import { ResourcesModule } from './resources.module.js';
import { SecretRotationTask } from './secrets/secret-rotation.task.js';

/** Background work for secrets, loaded by the dispatcher role. */
@Module({
  imports: [DispatchHandlersModule, ResourcesModule],
  providers: [SecretRotationTask],
})
export class ResourcesHandlersModule {}
