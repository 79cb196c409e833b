import { newId, type Caller } from '@app/kernel';
import { Injectable } from '@nestjs/common';
import { organizationNotFound } from './identity.errors.js';
import type { MintedKey, MintKey, Organization } from './identity.types.js';
import { KeyService } from './key.service.js';
import { OrganizationRepository } from './organization.repository.js';

/**
 * What only the operator of the installation may do, because it crosses organisations. No API leads here: whoever can
 * reach the database is the operator.
 */
@Injectable()
export class OperatorService {
  constructor(
    private readonly organizations: OrganizationRepository,
    private readonly keys: KeyService,
  ) {}

  async listOrganizations(): Promise<readonly Organization[]> {
    return this.organizations.list();
  }

  async findOrganization(idOrSlug: string): Promise<Organization> {
    const organization = await this.organizations.findByIdOrSlug(idOrSlug);
    if (organization === undefined) throw organizationNotFound();
    return organization;
  }

  /** A key of an organisation for a user of its own, named like the key. */
  async createKey(organization: Organization, request: MintKey): Promise<MintedKey> {
    return this.keys.mint(operatorIn(organization, request.name), request);
  }
}

/** The operator acts with the powers of an admin key that never expires. */
function operatorIn(organization: Organization, userName: string): Caller {
  return {
    organizationId: organization.id,
    keyId: 'operator',
    keyName: 'operator',
    scopes: ['admin'],
    userId: newId(),
    userName,
    userEmail: null,
    userAvatar: null,
    expiresAt: null,
  };
}
