import { grants, toWireTime, withoutUndefined, type Caller } from '@app/kernel';
import type {
  CheckAuthorization,
  EvaluatePolicies,
  PolicyDecision,
  PolicyDecisionFilter,
  PolicyDecisionSummary,
  PolicyResult,
  ReplayedDecision,
} from '@app/policies';
import type { ListPolicyDecisionsQuery } from './dto/policy-decision.request.dto.js';
import type {
  DecidingPolicyResponse,
  PolicyDecisionResponse,
  PolicyDecisionSummaryResponse,
  ReplayedDecisionResponse,
} from './dto/policy-decision.response.dto.js';
import type { CheckAuthorizationRequest, EvaluatePoliciesRequest } from './dto/evaluation.request.dto.js';
import type {
  AuthorizationResponse,
  PolicyEvaluationResponse,
  PolicyResultResponse,
} from './dto/evaluation.response.dto.js';
import { toPolicySource } from './policy.mapper.js';

export function toEvaluatePolicies({ input_data = {}, policy_ids = [] }: EvaluatePoliciesRequest): EvaluatePolicies {
  return { input: input_data, policy_ids };
}

export function toCheckAuthorization(request: CheckAuthorizationRequest): CheckAuthorization {
  const { action, resource = null, context = {} } = request;
  return { action, resource, context };
}

export function toPolicyEvaluationResponse({
  allowed,
  violations,
  policies,
}: PolicyDecision): PolicyEvaluationResponse {
  const results = policies.map((result) => [result.policy_id, toPolicyResultResponse(result)] as const);
  return { allowed, violations, policy_results: Object.fromEntries(results) };
}

export function toAuthorizationResponse({ allowed, violations, policies }: PolicyDecision): AuthorizationResponse {
  return { authorized: allowed, violations, policies_evaluated: policies.length };
}

export function toPolicyDecisionFilter(query: ListPolicyDecisionsQuery): PolicyDecisionFilter {
  const { kind, entity_type, entity_id, policy_id, allowed, execution_id, from, to } = query;
  return withoutUndefined({ kind, entity_type, entity_id, policy_id, allowed, execution_id, from, to });
}

export function toPolicyDecisionSummaryResponse(decision: PolicyDecisionSummary): PolicyDecisionSummaryResponse {
  return {
    id: decision.id,
    organization_id: decision.organization_id,
    kind: decision.kind,
    action: decision.action,
    entity_type: decision.entity_type,
    entity_id: decision.entity_id,
    allowed: decision.allowed,
    violations: decision.violations,
    policies: decision.policies.map(toDecidingPolicyResponse),
    input_digest: decision.input_digest,
    input_bytes: decision.input_bytes,
    execution_id: decision.execution_id,
    user_id: decision.user_id,
    user_email: decision.user_email,
    key_id: decision.key_id,
    at: toWireTime(decision.at),
  };
}

/** Contains the input of an execution only for callers who may read executions: it includes the prompt. */
export function toPolicyDecisionResponse(decision: PolicyDecision, caller: Caller): PolicyDecisionResponse {
  const readable = decision.kind !== 'execution' || grants(caller, 'tasks:read');
  return { ...toPolicyDecisionSummaryResponse(decision), input: readable ? decision.input : null };
}

export function toReplayedDecisionResponse({ same, recorded, replayed }: ReplayedDecision): ReplayedDecisionResponse {
  const { allowed, violations, policies } = replayed;
  return {
    same,
    recorded: toPolicyDecisionSummaryResponse(recorded),
    replayed: { allowed, violations, policies: policies.map(toDecidingPolicyResponse) },
  };
}

function toDecidingPolicyResponse(result: PolicyResult): DecidingPolicyResponse {
  return { policy_id: result.policy_id, ...toPolicyResultResponse(result), failure: result.failure };
}

function toPolicyResultResponse(result: PolicyResult): PolicyResultResponse {
  return {
    policy_name: result.policy_name,
    version: result.version,
    allowed: result.allowed,
    violations: result.violations,
    source: toPolicySource(result.source),
    sources: (result.sources ?? [result.source]).map(toPolicySource),
    duration_ms: result.duration_ms,
  };
}
