import { toCursor } from '@app/http';
import { toWireTime, withoutUndefined, type PageResult, type Page } from '@app/kernel';
import type {
  AppliedPolicy,
  Policy,
  PolicyAssociation,
  PolicyAssociationFilter,
  PolicyFilter,
  PolicyOrigin,
  PolicyReach,
  PolicyValidation,
  PolicyVersion,
  PolicyVersionSummary,
} from '@app/policies';
import type { ListPolicyAssociationsQuery } from './dto/policy-association.request.dto.js';
import type { PolicyAssociationResponse } from './dto/policy-association.response.dto.js';
import { POLICY_PAGE, type ListPoliciesQuery } from './dto/policy.request.dto.js';
import type { PolicyReachResponse } from './dto/policy-reach.response.dto.js';
import type {
  PolicyPageResponse,
  PolicySourceResponse,
  PolicyResponse,
  PolicyValidationResponse,
  PolicyVersionResponse,
  PolicyVersionSummaryResponse,
  ResolvedPolicyResponse,
} from './dto/policy.response.dto.js';

export function toPolicyResponse(policy: Policy): PolicyResponse {
  return {
    id: policy.id,
    organization_id: policy.organization_id,
    name: policy.name,
    description: policy.description,
    enabled: policy.enabled,
    tags: policy.tags,
    version: policy.version,
    policy_type: policy.policy_type,
    policy_content: policy.policy_content,
    metadata: policy.metadata,
    association_count: policy.association_count,
    created_by: policy.created_by,
    updated_by: policy.updated_by,
    created_at: toWireTime(policy.created_at),
    updated_at: toWireTime(policy.updated_at),
  };
}

/** Converts a page number to the range of rows, and keeps the number for the response. */
export function toPolicyPage(query: ListPoliciesQuery): Page & { readonly page: number } {
  const { page = POLICY_PAGE.page, limit = POLICY_PAGE.limit } = query;
  return { page, skip: (page - 1) * limit, limit, ...toCursor(query) };
}

export function toPolicyFilter({ name, enabled, search }: ListPoliciesQuery): PolicyFilter {
  return withoutUndefined({ name, enabled, search });
}

export function toPolicyPageResponse(
  { items, total, nextCursor }: PageResult<Policy>,
  { page, limit }: Page & { readonly page: number },
): PolicyPageResponse {
  const more = { has_more: nextCursor !== undefined, next_cursor: nextCursor ?? null };
  return { policies: items.map(toPolicyResponse), total: total ?? null, page, limit, ...more };
}

export function toPolicyVersionSummaryResponse(version: PolicyVersionSummary): PolicyVersionSummaryResponse {
  return {
    policy_id: version.policy_id,
    version: version.version,
    name: version.name,
    description: version.description,
    enabled: version.enabled,
    tags: version.tags,
    policy_type: version.policy_type,
    metadata: version.metadata,
    created_by: version.created_by,
    created_at: toWireTime(version.created_at),
  };
}

export function toPolicyVersionResponse(version: PolicyVersion): PolicyVersionResponse {
  return { ...toPolicyVersionSummaryResponse(version), policy_content: version.policy_content };
}

export function toPolicyValidationResponse({
  valid,
  errors,
  warnings,
  result,
}: PolicyValidation): PolicyValidationResponse {
  return {
    valid,
    errors: errors.map(({ code, message, line, column }) => ({ code, message, line, column })),
    warnings,
    result: result === null ? null : { allowed: result.allowed, violations: result.violations },
  };
}

export function toResolvedPolicyResponse(policy: AppliedPolicy): ResolvedPolicyResponse {
  return {
    policy_id: policy.policy_id,
    policy_name: policy.policy_name,
    version: policy.version,
    policy_content: policy.policy_content,
    source: toPolicySource(policy.source),
    sources: policy.sources.map(toPolicySource),
  };
}

export function toPolicyAssociationResponse(association: PolicyAssociation): PolicyAssociationResponse {
  return {
    id: association.id,
    organization_id: association.organization_id,
    entity_type: association.entity_type,
    entity_id: association.entity_id,
    policy_id: association.policy_id,
    policy_name: association.policy_name,
    priority: association.priority,
    enabled: association.enabled,
    created_by: association.created_by,
    created_at: toWireTime(association.created_at),
    updated_at: toWireTime(association.updated_at),
  };
}

export function toPolicyAssociationFilter(query: ListPolicyAssociationsQuery): PolicyAssociationFilter {
  const { entity_type, entity_id, policy_id, enabled } = query;
  return withoutUndefined({ entity_type, entity_id, policy_id, enabled });
}

export function toPolicySource({ entity_type, entity_id }: PolicyOrigin): PolicySourceResponse {
  return { entity_type, entity_id };
}

export function toPolicyReachResponse({ associations, agents, last_24h }: PolicyReach): PolicyReachResponse {
  return {
    associations: associations.map((association) => ({
      ...toPolicyAssociationResponse(association),
      entity_name: association.entity_name,
    })),
    agents: {
      total: agents.total,
      items: agents.items.map(({ id, name, via }) => ({
        id,
        name,
        via: via.map(({ entity_type, entity_id, entity_name }) => ({ entity_type, entity_id, entity_name })),
      })),
    },
    last_24h: { decisions: last_24h.decisions, denied: last_24h.denied },
  };
}
