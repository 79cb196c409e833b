import { Database } from '@app/database';
import type { Listed, Page, Patch, Scope } from '@app/kernel';
import { Injectable } from '@nestjs/common';
import { PolicyEntity } from './policy.entity.js';
import type { Policy, PolicyFilter, StoredPolicy } from './policy.types.js';

/** A policy by itself, whatever it is associated with. */
export interface PolicyText extends Pick<StoredPolicy, 'id' | 'name' | 'version' | 'enabled'> {
  /** Null where those that are enabled were more together than was to be read. */
  readonly policy_content: string | null;
}

const COUNTED = 'p.*, (SELECT count(*)::int FROM policy_associations a WHERE a.policy_id = p.id) AS association_count';

/** `$2` and `$3` are null where they do not matter. */
const FILTERED = `
  policies p WHERE organization_id = $1 AND ($2::boolean IS NULL OR enabled = $2)
    AND ($3::text IS NULL OR position(lower($3) IN lower(name)) > 0 OR position(lower($3) IN lower(description)) > 0)`;

@Injectable()
export class PolicyRepository {
  constructor(private readonly database: Database) {}

  async insert(scope: Scope, policy: Omit<StoredPolicy, 'organization_id'>): Promise<StoredPolicy> {
    const row = { ...policy, organization_id: scope.organizationId };
    await this.database.insert(PolicyEntity, row);
    return row;
  }

  /** Newest first. */
  async list(scope: Scope, filter: PolicyFilter, page: Page): Promise<Listed<Policy>> {
    return this.database.list<Policy>(page, {
      columns: COUNTED,
      from: FILTERED,
      order: 'created_at DESC, id DESC',
      values: [scope.organizationId, filter.enabled ?? null, filter.search ?? null],
    });
  }

  async find(scope: Scope, id: string): Promise<Policy | undefined> {
    const sql = `SELECT ${COUNTED} FROM policies p WHERE organization_id = $1 AND id = $2`;
    const [policy] = await this.database.sql<Policy>(sql, [scope.organizationId, id]);
    return policy;
  }

  async exists(scope: Scope, id: string): Promise<boolean> {
    return this.database.repository(PolicyEntity).existsBy({ id, organization_id: scope.organizationId });
  }

  /** Whether there is such a policy, which nobody deletes then until the transaction ends. */
  async holdExisting(scope: Scope, id: string): Promise<boolean> {
    const sql = 'SELECT 1 AS held FROM policies WHERE organization_id = $1 AND id = $2 FOR KEY SHARE';
    return (await this.database.sql(sql, [scope.organizationId, id])).length > 0;
  }

  /** Those of the ids that exist, in no order; their texts where these have no more `bytes` together. */
  async findTexts(scope: Scope, ids: readonly string[], bytes: number): Promise<PolicyText[]> {
    return this.database.sql<PolicyText>(
      `SELECT id, name, version, enabled,
         CASE WHEN sum(octet_length(policy_content)) FILTER (WHERE enabled) OVER () <= $3 THEN policy_content END
           AS policy_content
       FROM policies WHERE organization_id = $1 AND id = ANY($2)`,
      [scope.organizationId, ids, bytes],
    );
  }

  /** Held until the transaction ends, so that each update makes a version of its own. */
  async lock(scope: Scope, id: string): Promise<StoredPolicy | undefined> {
    const sql = 'SELECT * FROM policies WHERE organization_id = $1 AND id = $2 FOR UPDATE';
    const [policy] = await this.database.sql<StoredPolicy>(sql, [scope.organizationId, id]);
    return policy;
  }

  async update(scope: Scope, id: string, changes: Patch<StoredPolicy>): Promise<void> {
    await this.database.update(PolicyEntity, { id, organization_id: scope.organizationId }, changes);
  }

  /** With its associations. Whether there was such a policy. */
  async delete(scope: Scope, id: string): Promise<boolean> {
    const result = await this.database.repository(PolicyEntity).delete({ id, organization_id: scope.organizationId });
    return (result.affected ?? 0) > 0;
  }
}
