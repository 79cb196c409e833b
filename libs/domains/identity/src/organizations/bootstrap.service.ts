import { IdentityConfig } from '@app/config';
import { Database } from '@app/database';
import { hasWrongChecksum } from '@app/kernel';
import { createLogger } from '@app/observability';
import { Injectable } from '@nestjs/common';
import { describeKey, generateKey } from '../keys/api-key-format.js';
import { FirstKeyService } from '../keys/first-key.service.js';
import { OrganizationRepository } from './organization.repository.js';
import { OrganizationService } from './organization.service.js';

/** Slug of the organization that is created at the first start. */
const DEFAULT_ORGANIZATION_SLUG = 'default';

/** Prepares an empty database for its first caller. */
@Injectable()
export class BootstrapService {
  private readonly logger = createLogger('identity');

  constructor(
    private readonly organizations: OrganizationService,
    private readonly repository: OrganizationRepository,
    private readonly keys: FirstKeyService,
    private readonly database: Database,
    private readonly config: IdentityConfig,
  ) {}

  /**
   * Creates the first organization if there is none, with BOOTSTRAP_ADMIN_KEY as its key if set. If the organization
   * exists already, a new BOOTSTRAP_ADMIN_KEY is added to it. Returns the generated key, or `undefined` if none was
   * generated.
   */
  async ensureOrganization(): Promise<string | undefined> {
    const { bootstrapAdminKey: configuredKey } = this.config;
    if (configuredKey !== null && hasWrongChecksum(configuredKey)) {
      this.logger.warn(
        'BOOTSTRAP_ADMIN_KEY looks like a generated key with a wrong checksum; it works only while it is set',
      );
    }
    return this.database.transaction(async () => {
      await this.repository.lockBootstrap();
      const existing = await this.repository.findBySlug(DEFAULT_ORGANIZATION_SLUG);
      if (existing === undefined) {
        const material = configuredKey === null ? generateKey() : describeKey(configuredKey);
        await this.organizations.create(DEFAULT_ORGANIZATION_SLUG, { material });
        return configuredKey === null ? material.key : undefined;
      }
      if (configuredKey !== null) await this.keys.ensure({ organizationId: existing.id }, configuredKey);
      return undefined;
    });
  }
}
