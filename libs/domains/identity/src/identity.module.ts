import { IdentityConfig, provideConfig } from '@app/config';
import { EnvironmentsModule } from '@app/environments';
import { ModelsModule } from '@app/models';
import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { ApiKeyEntity } from './keys/api-key.entity.js';
import { ApiKeyRepository } from './keys/api-key.repository.js';
import { BootstrapService } from './organizations/bootstrap.service.js';
import { FirstKeyService } from './keys/first-key.service.js';
import { KeyAuthenticator } from './authentication/key-authenticator.js';
import { KeyCache } from './authentication/key-cache.js';
import { KeyWatch } from './authentication/key-watch.js';
import { KeyService } from './keys/key.service.js';
import { OperatorService } from './organizations/operator.service.js';
import { OrganizationProvisioner } from './organizations/organization-provisioner.js';
import { OrganizationEntity } from './organizations/organization.entity.js';
import { OrganizationRepository } from './organizations/organization.repository.js';
import { OrganizationService } from './organizations/organization.service.js';
import { StreamTickets } from './authentication/stream-tickets.js';
import { UserEntity } from './users/user.entity.js';
import { UserRepository } from './users/user.repository.js';
import { UserDeletionService } from './users/user-deletion.service.js';
import { UserService } from './users/user.service.js';

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
    ApiKeyRepository,
    KeyAuthenticator,
    KeyService,
    UserService,
    UserDeletionService,
    OrganizationService,
    BootstrapService,
    OperatorService,
    StreamTickets,
  ],
})
export class IdentityModule {}
