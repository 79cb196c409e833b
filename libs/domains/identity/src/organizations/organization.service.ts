import { Database } from '@app/database';
import { Clock, newId, type Caller } from '@app/kernel';
import { createLogger } from '@app/observability';
import { Injectable } from '@nestjs/common';
import { generateKey } from '../keys/api-key-format.js';
import type { KeyMaterial, MintedKey } from '../keys/key.types.js';
import { organizationNotFound } from '../identity.errors.js';
import type { Organization } from './organization.types.js';
import { OrganizationProvisioner } from './organization-provisioner.js';
import { OrganizationRepository } from './organization.repository.js';
import type { CreateUser } from '../users/user.types.js';

export interface CreatedOrganization {
  readonly organization: Organization;
  /** Its first key, with the scope `admin`. */
  readonly adminKey: MintedKey;
}

@Injectable()
export class OrganizationService {
  private readonly logger = createLogger('identity');

  constructor(
    private readonly organizations: OrganizationRepository,
    private readonly provisioner: OrganizationProvisioner,
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  async read(caller: Caller): Promise<Organization> {
    const organization = await this.organizations.find(caller.organizationId);
    if (organization === undefined) throw organizationNotFound();
    return organization;
  }

  /**
   * Creates an organization with its default environment, worker queue and model and an admin key, in one transaction.
   * The key acts for the owner if one is given, otherwise for the service user.
   */
  async create(
    name: string,
    { material = generateKey(), owner }: { readonly material?: KeyMaterial; readonly owner?: CreateUser } = {},
  ): Promise<CreatedOrganization> {
    return this.database.transaction(async () => {
      const now = this.clock.now();
      const organization = { id: newId(), name, slug: slugOf(name), created_at: now, updated_at: now };
      await this.organizations.insert(organization);
      const adminKey = await this.provisioner.provision({ organizationId: organization.id }, material, owner);
      this.database.afterCommit(() =>
        this.logger.info({ organization_id: organization.id, name }, 'organization created'),
      );
      return { organization, adminKey };
    });
  }
}

function slugOf(name: string): string {
  const slug = name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '');
  return slug === '' ? newId() : slug;
}
