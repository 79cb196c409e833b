import { provideConfig, SecretsConfig } from '@app/config';
import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { IntegrationEntity } from './integrations/integration.entity.js';
import { IntegrationRepository } from './integrations/integration.repository.js';
import { IntegrationService } from './integrations/integration.service.js';
import { KnowledgeEntity } from './knowledge/knowledge.entity.js';
import { KnowledgeRepository } from './knowledge/knowledge.repository.js';
import { KnowledgeService } from './knowledge/knowledge.service.js';
import { SecretVault } from './secrets/secret-vault.js';
import { SecretEntity } from './secrets/secret.entity.js';
import { SecretRepository } from './secrets/secret.repository.js';
import { SecretService } from './secrets/secret.service.js';

@Module({
  imports: [TypeOrmModule.forFeature([IntegrationEntity, KnowledgeEntity, SecretEntity])],
  providers: [
    provideConfig(SecretsConfig),
    IntegrationRepository,
    IntegrationService,
    KnowledgeRepository,
    KnowledgeService,
    SecretRepository,
    SecretService,
    SecretVault,
  ],
  exports: [IntegrationService, KnowledgeService, SecretRepository, SecretService, SecretVault],
})
export class ResourcesModule {}
