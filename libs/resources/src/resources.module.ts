import { provideConfig, SecretsConfig } from '@app/config';
import { EnvironmentsModule } from '@app/environments';
import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { IntegrationEntity } from './integrations/integration.entity.js';
import { IntegrationRepository } from './integrations/integration.repository.js';
import { IntegrationService } from './integrations/integration.service.js';
import { KnowledgeEntity } from './knowledge/knowledge.entity.js';
import { KnowledgeRepository } from './knowledge/knowledge.repository.js';
import { KnowledgeService } from './knowledge/knowledge.service.js';
import { RunnerEntity } from './runners/runner.entity.js';
import { RunnerRepository } from './runners/runner.repository.js';
import { RunnerService } from './runners/runner.service.js';
import { SecretVault } from './secrets/secret-vault.js';
import { SecretEntity } from './secrets/secret.entity.js';
import { SecretRepository } from './secrets/secret.repository.js';
import { SecretService } from './secrets/secret.service.js';

@Module({
  imports: [
    TypeOrmModule.forFeature([IntegrationEntity, KnowledgeEntity, RunnerEntity, SecretEntity]),
    EnvironmentsModule,
  ],
  providers: [
    provideConfig(SecretsConfig),
    IntegrationRepository,
    IntegrationService,
    KnowledgeRepository,
    KnowledgeService,
    RunnerRepository,
    RunnerService,
    SecretRepository,
    SecretService,
    SecretVault,
  ],
  exports: [IntegrationService, KnowledgeService, RunnerService, SecretRepository, SecretService, SecretVault],
})
export class ResourcesModule {}
