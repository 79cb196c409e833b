import { columnsOf, Database } from '@app/database';
import type { Page, PageResult, Scope } from '@app/kernel';
import { Injectable } from '@nestjs/common';
import { PolicyVersionEntity } from './policy-version.entity.js';
import { FIND_VERSION_TEXTS } from './policy-version.sql.js';
import type { PolicyVersion, PolicyVersionSummary, VersionKey, VersionText } from './policy-version.types.js';

const SUMMARY_COLUMNS = columnsOf(PolicyVersionEntity, 'policy_content');

@Injectable()
export class PolicyVersionRepository {
  constructor(private readonly database: Database) {}

  async insert({ organizationId }: Scope, version: Omit<PolicyVersion, 'organization_id'>): Promise<void> {
    await this.database.insert(PolicyVersionEntity, { ...version, organization_id: organizationId });
  }

  /** Newest first. */
  async list({ organizationId }: Scope, policyId: string, page: Page): Promise<PageResult<PolicyVersionSummary>> {
    const query = this.database
      .select(PolicyVersionEntity, 'version', { organization_id: organizationId, policy_id: policyId })
      .select(SUMMARY_COLUMNS.map((column) => `version.${column}`))
      .orderBy('version.version', 'DESC');
    return this.database.listPage<PolicyVersionEntity, PolicyVersionSummary>(query, page);
  }

  async find({ organizationId }: Scope, policyId: string, version: number): Promise<PolicyVersion | undefined> {
    const where = { organization_id: organizationId, policy_id: policyId, version };
    return this.database.findOne(PolicyVersionEntity, where);
  }

  /** Returns the versions that exist, including those of deleted policies, in any order. */
  async findTexts({ organizationId }: Scope, versions: readonly VersionKey[]): Promise<VersionText[]> {
    return this.database.sql<VersionText>(FIND_VERSION_TEXTS, [
      organizationId,
      versions.map(({ policy_id }) => policy_id),
      versions.map(({ version }) => version),
    ]);
  }
}
