import { provideConfig, SecretsConfig } from '@app/config';
import { DispatchHandlersModule } from '@app/dispatch';
import { Module } from '@nestjs/common';
import { ResourcesModule } from './resources.module.js';
import { SecretRotationTask } from './secrets/secret-rotation.task.js';
import { SecretVault } from './secrets/secret-vault.js';
import { SecretRepository } from './secrets/secret.repository.js';

/** Background work for secrets, loaded by the dispatcher role. */
@Module({
  imports: [DispatchHandlersModule, ResourcesModule],
  providers: [provideConfig(SecretsConfig), SecretRepository, SecretVault, SecretRotationTask],
})
export class ResourcesHandlersModule {}
