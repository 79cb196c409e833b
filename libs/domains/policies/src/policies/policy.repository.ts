import { Database } from '@app/database';
import { Clock, withoutUndefined, type Page, type PageResult, type Patch, type Scope } from '@app/kernel';
import { Injectable } from '@nestjs/common';
import { Any, type FindOptionsWhere, type SelectQueryBuilder } from 'typeorm';
import { PolicyAssociationEntity } from '../associations/policy-association.entity.js';
import { PolicyEntity } from './policy.entity.js';
import { FIND_POLICY_TEXTS } from './policy.sql.js';
import type { NewPolicy, Policy, PolicyFilter, StoredPolicy } from './policy.types.js';

/** The part of a policy that an evaluation needs. */
export interface PolicyText extends Pick<StoredPolicy, 'id' | 'name' | 'version' | 'enabled'> {
  /** Null if the texts of the enabled policies together exceed the limit. */
  readonly policy_content: string | null;
}

const MATCHES_SEARCH = `(position(lower(:search) IN lower(policy.name)) > 0
  OR position(lower(:search) IN lower(policy.description)) > 0)`;

@Injectable()
export class PolicyRepository {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /** Sets `created_at` and `updated_at`. */
  async insert({ organizationId }: Scope, policy: NewPolicy): Promise<StoredPolicy> {
    const now = this.clock.now();
    const times = { created_at: now, updated_at: now };
    return this.database.insert(PolicyEntity, { ...policy, ...times, organization_id: organizationId });
  }

  /** Newest first. */
  async list(scope: Scope, { name, search, enabled }: PolicyFilter, page: Page): Promise<PageResult<Policy>> {
    const query = this.policies(scope, withoutUndefined({ name, enabled })).orderBy('policy.created_at', 'DESC');
    if (search !== undefined) query.andWhere(MATCHES_SEARCH, { search });
    return this.database.listPage<PolicyEntity, Policy>(query, page);
  }

  async find(scope: Scope, id: string): Promise<Policy | undefined> {
    const [policy] = await this.database.rows<PolicyEntity, Policy>(this.policies(scope, { id }));
    return policy;
  }

  async exists({ organizationId }: Scope, id: string): Promise<boolean> {
    return this.database.repository(PolicyEntity).existsBy({ id, organization_id: organizationId });
  }

  /** Returns the existing policies among the ids. They cannot be deleted until the transaction ends. */
  async lockExisting({ organizationId }: Scope, ids: readonly string[]): Promise<ReadonlySet<string>> {
    const query = this.database.select(PolicyEntity, 'policy', { id: Any(ids), organization_id: organizationId });
    query.select(['policy.id']).orderBy('policy.id').setLock('for_key_share');
    return new Set((await this.database.rows(query)).map(({ id }) => id));
  }

  /**
   * Returns the policies with these ids, in any order. The texts are null if those of the enabled policies together
   * exceed `bytes`.
   */
  async findTexts({ organizationId }: Scope, ids: readonly string[], bytes: number): Promise<PolicyText[]> {
    return this.database.sql<PolicyText>(FIND_POLICY_TEXTS, [organizationId, ids, bytes]);
  }

  /** Locks the policy until the transaction ends, so that concurrent updates create different versions. */
  async lock({ organizationId }: Scope, id: string): Promise<StoredPolicy | undefined> {
    return this.database.lockOne(PolicyEntity, { id, organization_id: organizationId });
  }

  /** Sets `updated_at`. Returns undefined if there is no such policy. */
  async update({ organizationId }: Scope, id: string, changes: Patch<StoredPolicy>): Promise<StoredPolicy | undefined> {
    const where = { id, organization_id: organizationId };
    return this.database.update(PolicyEntity, where, { ...changes, updated_at: this.clock.now() });
  }

  /** Deletes the policy with its associations. Returns whether it existed. */
  async delete({ organizationId }: Scope, id: string): Promise<boolean> {
    return this.database.delete(PolicyEntity, { id, organization_id: organizationId });
  }

  /** Returns a query for policies with the number of their associations. */
  private policies({ organizationId }: Scope, where: FindOptionsWhere<PolicyEntity>): SelectQueryBuilder<PolicyEntity> {
    return this.database
      .select(PolicyEntity, 'policy', { ...where, organization_id: organizationId })
      .addSelect(
        (count) =>
          count
            .select('count(*)::integer')
            .from(PolicyAssociationEntity, 'association')
            .where('association.policy_id = policy.id'),
        'association_count',
      );
  }
}
