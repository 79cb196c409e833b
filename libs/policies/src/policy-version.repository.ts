import { Database } from '@app/database';
import type { Listed, Page, Scope } from '@app/kernel';
import { Injectable } from '@nestjs/common';
import { PolicyVersionEntity } from './policy-version.entity.js';
import type { PolicyVersion, PolicyVersionSummary } from './policy-version.types.js';

/** A version without its text. */
const SUMMARY = `policy_id, version, organization_id, name, description, enabled, tags, policy_type, metadata, created_by,
  created_at`;

@Injectable()
export class PolicyVersionRepository {
  constructor(private readonly database: Database) {}

  async insert(scope: Scope, version: Omit<PolicyVersion, 'organization_id'>): Promise<void> {
    await this.database.insert(PolicyVersionEntity, { ...version, organization_id: scope.organizationId });
  }

  /** Newest first. */
  async list(scope: Scope, policyId: string, page: Page): Promise<Listed<PolicyVersionSummary>> {
    const from = `FROM policy_versions WHERE organization_id = $1 AND policy_id = $2`;
    const values = [scope.organizationId, policyId];
    const [items, counted] = await Promise.all([
      this.database.page<PolicyVersionSummary>(
        page,
        `SELECT ${SUMMARY} ${from} ORDER BY version DESC LIMIT $3 OFFSET $4`,
        [...values, page.limit, page.skip],
      ),
      this.database.sql<{ total: number }>(`SELECT count(*)::int AS total ${from}`, values),
    ]);
    return { items, total: counted[0]?.total ?? 0 };
  }

  async find(scope: Scope, policyId: string, version: number): Promise<PolicyVersion | undefined> {
    const where = { organization_id: scope.organizationId, policy_id: policyId, version };
    return this.database.findOne(PolicyVersionEntity, where);
  }
}
