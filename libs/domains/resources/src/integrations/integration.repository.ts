import { Database, rejectDuplicate, statementOf } from '@app/database';
import { withoutUndefined, type Page, type PageResult, type Scope } from '@app/kernel';
import { Injectable } from '@nestjs/common';
import { Any } from 'typeorm';
import { IntegrationEntity } from './integration.entity.js';
import { integrationNameTaken } from './integration.errors.js';
import type { Integration, IntegrationFilter, NewIntegration, UpdateIntegration } from './integration.types.js';

const UNIQUE_NAME = 'uq_integrations_organization_id_name';

@Injectable()
export class IntegrationRepository {
  constructor(private readonly database: Database) {}

  async insert({ organizationId }: Scope, integration: NewIntegration): Promise<Integration> {
    const inserted = this.database.insert(IntegrationEntity, { ...integration, organization_id: organizationId });
    return rejectDuplicate(inserted, UNIQUE_NAME, () => integrationNameTaken(integration.name));
  }

  /** Newest first. */
  async list({ organizationId }: Scope, filter: IntegrationFilter, page: Page): Promise<PageResult<Integration>> {
    const { name, type, tag } = filter;
    const query = this.database
      .select(IntegrationEntity, 'integration', {
        ...withoutUndefined({ name, type }),
        organization_id: organizationId,
      })
      .orderBy('integration.created_at', 'DESC');
    if (tag !== undefined) query.andWhere(':tag = ANY(integration.tags)', { tag });
    return this.database.listPage(query, page);
  }

  async find({ organizationId }: Scope, id: string): Promise<Integration | undefined> {
    return this.database.findOne(IntegrationEntity, { id, organization_id: organizationId });
  }

  /** Like `find`, and locks the row until the transaction ends. */
  async lock({ organizationId }: Scope, id: string): Promise<Integration | undefined> {
    return this.database.lockOne(IntegrationEntity, { id, organization_id: organizationId });
  }

  /** Returns the configurations of integrations. Throws `conflict` if they are too large together. */
  async findConfigurations(
    { organizationId }: Scope,
    ids: readonly string[],
  ): Promise<Pick<Integration, 'id' | 'name' | 'configuration'>[]> {
    const query = this.database
      .select(IntegrationEntity, 'integration', { organization_id: organizationId, id: Any(ids) })
      .select(['integration.id', 'integration.name', 'integration.configuration']);
    const statement = statementOf(query);
    return this.database.boundedSet('The configurations of the integrations', statement, statement.values);
  }

  async update(
    { organizationId }: Scope,
    id: string,
    changes: UpdateIntegration & { readonly secret_names?: string[]; readonly updated_at: Date },
  ): Promise<Integration | undefined> {
    const updated = this.database.update(IntegrationEntity, { id, organization_id: organizationId }, changes);
    return rejectDuplicate(updated, UNIQUE_NAME, () => integrationNameTaken(changes.name ?? ''));
  }

  /** Returns false if there is no such integration. */
  async delete({ organizationId }: Scope, id: string): Promise<boolean> {
    return this.database.delete(IntegrationEntity, { id, organization_id: organizationId });
  }
}
