import { Database, isUniqueViolation } from '@app/database';
import { Injectable } from '@nestjs/common';
import { organizationExists } from './identity.errors.js';
import type { Organization } from './identity.types.js';
import { OrganizationEntity } from './organization.entity.js';

@Injectable()
export class OrganizationRepository {
  constructor(private readonly database: Database) {}

  async find(id: string): Promise<Organization | undefined> {
    return this.database.findOne(OrganizationEntity, { id });
  }

  async findBySlug(slug: string): Promise<Organization | undefined> {
    return this.database.findOne(OrganizationEntity, { slug });
  }

  async findByIdOrSlug(idOrSlug: string): Promise<Organization | undefined> {
    return this.database.findOne(OrganizationEntity, [{ id: idOrSlug }, { slug: idOrSlug }]);
  }

  /** All of them, oldest first. */
  async list(): Promise<Organization[]> {
    return this.database.repository(OrganizationEntity).find({ order: { created_at: 'ASC', id: 'ASC' } });
  }

  async insert(organization: Organization): Promise<void> {
    try {
      await this.database.insert(OrganizationEntity, organization);
    } catch (error) {
      if (isUniqueViolation(error, 'uq_organizations_slug')) throw organizationExists(organization.name);
      throw error;
    }
  }

  /** Held until the transaction ends: of several processes that start at once, one makes the first organisation. */
  async lockBootstrap(): Promise<void> {
    await this.database.sql(`SELECT pg_advisory_xact_lock(hashtextextended('bootstrap', 0))`);
  }
}
