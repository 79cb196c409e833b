import { Database, rejectDuplicate } from '@app/database';
import { Injectable } from '@nestjs/common';
import { organizationExists } from '../identity.errors.js';
import type { Organization } from './organization.types.js';
import { OrganizationEntity } from './organization.entity.js';
import { LOCK_BOOTSTRAP } from './organization.sql.js';

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

  /** Returns all organizations, oldest first. */
  async list(): Promise<Organization[]> {
    return this.database.repository(OrganizationEntity).find({ order: { created_at: 'ASC', id: 'ASC' } });
  }

  async insert(organization: Organization): Promise<void> {
    const inserted = this.database.insert(OrganizationEntity, organization);
    await rejectDuplicate(inserted, 'uq_organizations_slug', () => organizationExists(organization.name));
  }

  /**
   * Holds a lock until the transaction ends, so that only one of several starting processes creates the first
   * organization.
   */
  async lockBootstrap(): Promise<void> {
    await this.database.sql(LOCK_BOOTSTRAP);
  }
}
