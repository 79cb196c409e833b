import { IdentityConfig } from '@app/config';
import { Database } from '@app/database';
import { EnvironmentService } from '@app/environments';
import { Clock, hasWrongChecksum, newId, type Caller } from '@app/kernel';
import { createLogger } from '@app/observability';
import { Injectable } from '@nestjs/common';
import { describeKey, generateKey, type NewKey } from './api-key-format.js';
import { organizationNotFound } from './identity.errors.js';
import type { MintedKey, Organization } from './identity.types.js';
import { KeyService } from './key.service.js';
import { OrganizationRepository } from './organization.repository.js';

/** The organisation that exists from the first start on. */
const FIRST_ORGANIZATION = 'default';

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
    private readonly keys: KeyService,
    private readonly environments: EnvironmentService,
    private readonly database: Database,
    private readonly config: IdentityConfig,
    private readonly clock: Clock,
  ) {}

  async read(caller: Caller): Promise<Organization> {
    const organization = await this.organizations.find(caller.organizationId);
    if (organization === undefined) throw organizationNotFound();
    return organization;
  }

  /** An organisation with its default environment, a worker queue in it and an admin key, all or nothing. */
  async create(name: string, material: NewKey = generateKey()): Promise<CreatedOrganization> {
    return this.database.transaction(async () => {
      const now = this.clock.now();
      const organization = { id: newId(), name, slug: slugOf(name), created_at: now, updated_at: now };
      await this.organizations.insert(organization);
      const scope = { organizationId: organization.id };
      await this.environments.provisionDefaults(scope);
      const adminKey = await this.addAdminKey(organization.id, material);
      this.logger.info({ organization_id: organization.id, name }, 'organization created');
      return { organization, adminKey };
    });
  }

  /**
   * Makes the first organisation when there is none. A set BOOTSTRAP_ADMIN_KEY is its key; one that is set later is
   * added. Answers a generated key, so that the caller can show it this once; `undefined` when none was generated.
   */
  async bootstrap(): Promise<string | undefined> {
    const { bootstrapAdminKey: chosen } = this.config;
    if (chosen !== null && hasWrongChecksum(chosen)) {
      this.logger.warn(
        'BOOTSTRAP_ADMIN_KEY looks like a generated key with a wrong checksum: it is taken while it is set',
      );
    }
    return this.database.transaction(async () => {
      await this.organizations.lockBootstrap();
      const existing = await this.organizations.findBySlug(FIRST_ORGANIZATION);
      if (existing === undefined) {
        const material = chosen === null ? generateKey() : describeKey(chosen);
        await this.create(FIRST_ORGANIZATION, material);
        return chosen === null ? material.key : undefined;
      }
      if (chosen !== null && !(await this.keys.exists(chosen))) {
        await this.addAdminKey(existing.id, describeKey(chosen));
      }
      return undefined;
    });
  }

  private async addAdminKey(organizationId: string, material: NewKey): Promise<MintedKey> {
    const owner = { user_id: newId(), user_name: 'admin', user_email: null, user_avatar: null };
    const key = {
      name: 'admin',
      description: 'First key of the organization',
      scopes: ['admin'] as const,
      expires_at: null,
    };
    return this.keys.store({ organizationId }, owner, key, material);
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
