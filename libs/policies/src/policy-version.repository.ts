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
    return this.database.list<PolicyVersionSummary>(page, {
      columns: SUMMARY,
      from: 'policy_versions WHERE organization_id = $1 AND policy_id = $2',
      order: 'version DESC',
      values: [scope.organizationId, policyId],
    });
  }

  async find(scope: Scope, policyId: string, version: number): Promise<PolicyVersion | undefined> {
    const where = { organization_id: scope.organizationId, policy_id: policyId, version };
    return this.database.findOne(PolicyVersionEntity, where);
  }
}
