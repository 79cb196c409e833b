import { Database, rejectDuplicate } from '@app/database';
import {
  distinctBy,
  entityKeyOf,
  withoutUndefined,
  type EntityRef,
  type Page,
  type PageResult,
  type Scope,
} from '@app/kernel';
import { Injectable } from '@nestjs/common';
import type { FindOptionsWhere, SelectQueryBuilder } from 'typeorm';
import { PolicyEntity } from '../policies/policy.entity.js';
import { PolicyAssociationEntity } from './policy-association.entity.js';
import { FIND_APPLIED_POLICIES } from './policy-association.sql.js';
import type {
  NewPolicyAssociation,
  PolicyAssociation,
  PolicyAssociationFilter,
  UpdatePolicyAssociation,
} from './policy-association.types.js';
import { policyAssociated } from '../policies/policy.errors.js';
import type {
  AppliedPolicy,
  DecisionLimits,
  PolicyEntityType,
  PolicyOrigin,
  PolicyReference,
  PolicySource,
} from '../policies/policy.types.js';

interface AppliedRow extends Omit<AppliedPolicy, 'source' | 'sources'> {
  readonly sources: readonly [PolicyOrigin, ...PolicyOrigin[]];
  /** Whether all rows are within the limits. If not, the texts are null. */
  readonly fits: boolean;
}

@Injectable()
export class PolicyAssociationRepository {
  constructor(private readonly database: Database) {}

  async insert({ organizationId }: Scope, association: NewPolicyAssociation): Promise<void> {
    const inserted = this.database.insert(PolicyAssociationEntity, {
      ...association,
      organization_id: organizationId,
    });
    await rejectDuplicate(inserted, 'uq_policy_associations_entity_policy_id', policyAssociated);
  }

  /** Newest first. */
  async list(scope: Scope, filter: PolicyAssociationFilter, page: Page): Promise<PageResult<PolicyAssociation>> {
    const { entity_type, entity_id, policy_id, enabled } = filter;
    const given = withoutUndefined({ entity_type, entity_id, policy_id, enabled });
    const query = this.associations(scope, given).orderBy('association.created_at', 'DESC');
    return this.database.listPage<PolicyAssociationEntity, PolicyAssociation>(query, page);
  }

  async find(scope: Scope, id: string): Promise<PolicyAssociation | undefined> {
    const query = this.associations(scope, { id });
    const [association] = await this.database.rows<PolicyAssociationEntity, PolicyAssociation>(query);
    return association;
  }

  /** Returns the number of associations of the entity. */
  async count({ organizationId }: Scope, { entity_type, entity_id }: PolicySource): Promise<number> {
    const where = { organization_id: organizationId, entity_type, entity_id };
    return this.database.repository(PolicyAssociationEntity).countBy(where);
  }

  /** Returns up to `limit` entities with enabled associations with the policy. */
  async enabledEntitiesOf(
    { organizationId }: Scope,
    policyId: string,
    limit: number,
  ): Promise<readonly PolicySource[]> {
    const where = { organization_id: organizationId, policy_id: policyId, enabled: true };
    const query = this.database
      .select(PolicyAssociationEntity, 'association', where)
      .select(['association.entity_type', 'association.entity_id'])
      .limit(limit);
    return this.database.rows<PolicyAssociationEntity, PolicySource>(query);
  }

  /** Returns whether the association exists. */
  async update(
    { organizationId }: Scope,
    id: string,
    changes: UpdatePolicyAssociation & { readonly updated_at: Date },
  ): Promise<boolean> {
    const where = { id, organization_id: organizationId };
    return (await this.database.update(PolicyAssociationEntity, where, changes)) !== undefined;
  }

  /** Returns whether the association existed. */
  async delete({ organizationId }: Scope, id: string): Promise<boolean> {
    return this.database.delete(PolicyAssociationEntity, { id, organization_id: organizationId });
  }

  async deleteOf({ organizationId }: Scope, { entity_type, entity_id }: EntityRef): Promise<void> {
    const entity = { organization_id: organizationId, entity_type: entity_type as PolicyEntityType, entity_id };
    await this.database.delete(PolicyAssociationEntity, entity);
  }

  /**
   * Returns the enabled policies that have an enabled association with any of these entities or are in `references`, in
   * order of evaluation, each once; `tooMany` if they exceed the limits.
   */
  async findApplied(
    { organizationId }: Scope,
    sources: readonly PolicySource[],
    references: readonly PolicyReference[],
    limits: DecisionLimits,
  ): Promise<AppliedPolicy[] | 'tooMany'> {
    const rows = await this.database.prepared<AppliedRow>(FIND_APPLIED_POLICIES, [
      organizationId,
      sources.map(({ entity_type }) => entity_type),
      sources.map(({ entity_id }) => entity_id),
      limits.policies,
      limits.bytes,
      references.map(({ policy_id }) => policy_id),
      references.map(({ origin }) => origin.entity_type),
      references.map(({ origin }) => origin.entity_id),
    ]);
    if (rows.some(({ fits }) => !fits)) return 'tooMany';
    return rows.map(({ fits: _fits, ...policy }) => ({
      ...policy,
      source: policy.sources[0],
      // Removes duplicates, because an entity can have both an association with a policy and a reference to it.
      sources: distinctBy(policy.sources, entityKeyOf),
    }));
  }

  /** Returns a query for associations with the names of their policies. */
  private associations(
    { organizationId }: Scope,
    where: FindOptionsWhere<PolicyAssociationEntity>,
  ): SelectQueryBuilder<PolicyAssociationEntity> {
    return this.database
      .select(PolicyAssociationEntity, 'association', { ...where, organization_id: organizationId })
      .innerJoin(PolicyEntity, 'policy', 'policy.id = association.policy_id')
      .addSelect('policy.name', 'policy_name');
  }
}
