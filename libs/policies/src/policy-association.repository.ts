import { Database } from '@app/database';
import type { Scope } from '@app/kernel';
import { Injectable } from '@nestjs/common';
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
