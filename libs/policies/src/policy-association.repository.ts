import { Database, isUniqueViolation } from '@app/database';
import type { Listed, Page, Scope } from '@app/kernel';
import { Injectable } from '@nestjs/common';
import { PolicyAssociationEntity } from './policy-association.entity.js';
import type {
  PolicyAssociation,
  PolicyAssociationFilter,
  StoredPolicyAssociation,
  UpdatePolicyAssociation,
} from './policy-association.types.js';
import { policyAssociated } from './policy.errors.js';
import type { AppliedPolicy, PolicyEntityType, PolicySource } from './policy.types.js';

/** How much may be read at once. */
export interface ResolutionBounds {
  readonly policies: number;
  /** Of all texts together. */
  readonly bytes: number;
}

interface AppliedRow extends Omit<AppliedPolicy, 'source'> {
  readonly entity_type: PolicyEntityType;
  readonly entity_id: string;
  /** Whether all rows together are within the bounds; if not, the texts were not read. */
  readonly fits: boolean;
}

const NAMED = 'a.*, p.name AS policy_name';
const ASSOCIATIONS = 'policy_associations a JOIN policies p ON p.id = a.policy_id WHERE a.organization_id = $1';

/** A filter that is null does not matter. */
const FILTER = `
  ($2::text IS NULL OR a.entity_type = $2) AND ($3::text IS NULL OR a.entity_id = $3)
    AND ($4::text IS NULL OR a.policy_id = $4) AND ($5::boolean IS NULL OR a.enabled = $5)`;

/** An entity some policy is associated with. */
export interface AssociatedEntity extends PolicySource {
  readonly organization_id: string;
}

/** `$1` is the organisation, `$2` and `$3` the types and ids of the entities, `$4` and `$5` the bounds. */
const APPLIED_SQL = `
  WITH associated AS (
    SELECT policy_id, entity_type, entity_id, priority, created_at, id,
      array_position(ARRAY['environment', 'team', 'agent'], entity_type) AS level
    FROM policy_associations
    WHERE organization_id = $1 AND enabled
      AND (entity_type, entity_id) IN (SELECT * FROM unnest($2::text[], $3::text[]))
  ), first AS (
    SELECT DISTINCT ON (policy_id) * FROM associated
    ORDER BY policy_id, level, priority DESC, created_at, id
  ), bounded AS (
    SELECT p.id AS policy_id, p.name AS policy_name, p.version, p.policy_content, first.entity_type, first.entity_id,
      first.level, first.priority, first.created_at, first.id,
      count(*) OVER () <= $4 AND sum(octet_length(p.policy_content)) OVER () <= $5 AS fits
    FROM first JOIN policies p ON p.id = first.policy_id AND p.organization_id = $1 AND p.enabled
  )
  SELECT policy_id, policy_name, version, CASE WHEN fits THEN policy_content END AS policy_content,
    entity_type, entity_id, fits
  FROM bounded ORDER BY level, priority DESC, created_at, id LIMIT $4`;

@Injectable()
export class PolicyAssociationRepository {
  constructor(private readonly database: Database) {}

  async insert(scope: Scope, association: Omit<StoredPolicyAssociation, 'organization_id'>): Promise<void> {
    const row = { ...association, organization_id: scope.organizationId };
    try {
      await this.database.insert(PolicyAssociationEntity, row);
    } catch (error) {
      throw isUniqueViolation(error, 'uq_policy_associations_entity_policy_id') ? policyAssociated() : error;
    }
  }

  /** Newest first. */
  async list(scope: Scope, filter: PolicyAssociationFilter, page: Page): Promise<Listed<PolicyAssociation>> {
    const { entity_type = null, entity_id = null, policy_id = null, enabled = null } = filter;
    return this.database.list<PolicyAssociation>(page, {
      columns: NAMED,
      from: `${ASSOCIATIONS} AND ${FILTER}`,
      order: 'a.created_at DESC, a.id DESC',
      values: [scope.organizationId, entity_type, entity_id, policy_id, enabled],
    });
  }

  async find(scope: Scope, id: string): Promise<PolicyAssociation | undefined> {
    const sql = `SELECT ${NAMED} FROM ${ASSOCIATIONS} AND a.id = $2`;
    const [association] = await this.database.sql<PolicyAssociation>(sql, [scope.organizationId, id]);
    return association;
  }

  /** How many the entity has. Until the transaction ends nobody else can ask, so that the number holds. */
  async lockCount(scope: Scope, entity: PolicySource): Promise<number> {
    const { entity_type, entity_id } = entity;
    const key = ['policy-associations', scope.organizationId, entity_type, entity_id].join(':');
    await this.database.sql('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [key]);
    const where = { organization_id: scope.organizationId, entity_type, entity_id };
    return this.database.repository(PolicyAssociationEntity).countBy(where);
  }

  /** Whether there was such an association. */
  async update(
    scope: Scope,
    id: string,
    changes: UpdatePolicyAssociation & { readonly updated_at: Date },
  ): Promise<boolean> {
    const where = { id, organization_id: scope.organizationId };
    return (await this.database.update(PolicyAssociationEntity, where, changes)) !== undefined;
  }

  /** Whether there was such an association. */
  async delete(scope: Scope, id: string): Promise<boolean> {
    const where = { id, organization_id: scope.organizationId };
    const result = await this.database.repository(PolicyAssociationEntity).delete(where);
    return (result.affected ?? 0) > 0;
  }

  /** The next entities of all organisations in the order of the index, after `last`; for the platform's own upkeep. */
  async entitiesAfter(last: AssociatedEntity | undefined, limit: number): Promise<AssociatedEntity[]> {
    const after = [last?.organization_id ?? '', last?.entity_type ?? '', last?.entity_id ?? ''];
    return this.database.sql<AssociatedEntity>(
      `SELECT DISTINCT organization_id, entity_type, entity_id FROM policy_associations
       WHERE (organization_id, entity_type, entity_id) > ($1, $2, $3)
       ORDER BY organization_id, entity_type, entity_id LIMIT $4`,
      [...after, limit],
    );
  }

  async deleteOf(scope: Scope, entityType: PolicyEntityType, entityIds: readonly string[]): Promise<void> {
    await this.database.sql(
      'DELETE FROM policy_associations WHERE organization_id = $1 AND entity_type = $2 AND entity_id = ANY($3)',
      [scope.organizationId, entityType, entityIds],
    );
  }

  /**
   * The enabled policies that enabled associations make apply to any of these entities, in order of evaluation, each
   * with the first association that does; `tooMany` instead where they are beyond the bounds.
   */
  async findApplied(
    scope: Scope,
    sources: readonly PolicySource[],
    bounds: ResolutionBounds,
  ): Promise<AppliedPolicy[] | 'tooMany'> {
    const rows = await this.database.prepared<AppliedRow>('policies.find_applied', APPLIED_SQL, [
      scope.organizationId,
      sources.map(({ entity_type }) => entity_type),
      sources.map(({ entity_id }) => entity_id),
      bounds.policies,
      bounds.bytes,
    ]);
    if (rows.some(({ fits }) => !fits)) return 'tooMany';
    return rows.map(({ entity_type, entity_id, fits: _fits, ...policy }) => ({
      ...policy,
      source: { entity_type, entity_id },
    }));
  }
}
