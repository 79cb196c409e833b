import { IdentityConfig, provideConfig } from '@app/config';
import { EnvironmentsModule } from '@app/environments';
import { ModelsModule } from '@app/models';
import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { ApiKeyEntity } from './api-key.entity.js';
import { ApiKeyRepository } from './api-key.repository.js';
import { BootstrapService } from './bootstrap.service.js';
import { FirstKeyService } from './first-key.service.js';
import { KeyAuthenticator } from './key-authenticator.js';
import { KeyChangeService } from './key-change.service.js';
import { KeyCache } from './key-cache.js';
import { KeyWatch } from './key-watch.js';
import { KeyRevocationService } from './key-revocation.service.js';
import { KeyService } from './key.service.js';
import { OperatorService } from './operator.service.js';
import { OrganizationProvisioner } from './organization-provisioner.js';
import { OrganizationEntity } from './organization.entity.js';
import { OrganizationRepository } from './organization.repository.js';
import { OrganizationService } from './organization.service.js';
import { StreamTickets } from './stream-tickets.js';
import { UserEntity } from './user.entity.js';
import { UserRepository } from './user.repository.js';
import { UserDeletionService } from './user-deletion.service.js';
import { UserService } from './user.service.js';

@Module({
  imports: [TypeOrmModule.forFeature([OrganizationEntity, UserEntity, ApiKeyEntity]), EnvironmentsModule, ModelsModule],
  providers: [
    provideConfig(IdentityConfig),
    OrganizationRepository,
    UserRepository,
    ApiKeyRepository,
    KeyCache,
    KeyWatch,
    KeyAuthenticator,
    KeyService,
    KeyChangeService,
    KeyRevocationService,
    UserService,
    UserDeletionService,
    FirstKeyService,
    OrganizationProvisioner,
    OrganizationService,
    BootstrapService,
    OperatorService,
    StreamTickets,
  ],
  exports: [
    KeyAuthenticator,
    KeyService,
    KeyChangeService,
    KeyRevocationService,
    UserService,
    UserDeletionService,
    OrganizationService,
    BootstrapService,
    OperatorService,
    StreamTickets,
  ],
})
export class IdentityModule {}
