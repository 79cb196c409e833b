import { IdentityConfig, provideConfig } from '@app/config';
import { EnvironmentsModule } from '@app/environments';
import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { ApiKeyEntity } from './api-key.entity.js';
import { ApiKeyRepository } from './api-key.repository.js';
import { KeyCache } from './key-cache.js';
import { KeyWatch } from './key-watch.js';
import { KeyService } from './key.service.js';
import { OperatorService } from './operator.service.js';
import { OrganizationEntity } from './organization.entity.js';
import { OrganizationRepository } from './organization.repository.js';
import { OrganizationService } from './organization.service.js';

@Module({
  imports: [TypeOrmModule.forFeature([OrganizationEntity, ApiKeyEntity]), EnvironmentsModule],
  providers: [
    provideConfig(IdentityConfig),
    OrganizationRepository,
    ApiKeyRepository,
    KeyCache,
    KeyWatch,
    KeyService,
    OrganizationService,
    OperatorService,
  ],
  exports: [KeyService, OrganizationService, OperatorService],
})
export class IdentityModule {}
