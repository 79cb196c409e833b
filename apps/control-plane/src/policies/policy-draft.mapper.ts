import { toWireTime, withoutUndefined, type JsonObject } from '@app/kernel';
import type { Backtest, BacktestPolicy, ChangedDecision, DraftValidation } from '@app/policies';
import { BACKTEST_LIMIT, type BacktestPolicyRequest } from './dto/policy-draft.request.dto.js';
import type {
  BacktestChangeResponse,
  BacktestResponse,
  PolicyDraftValidationResponse,
} from './dto/policy-draft.response.dto.js';
import { toPolicyValidationResponse } from './policy.mapper.js';

export function toPolicyDraftValidationResponse(validation: DraftValidation): PolicyDraftValidationResponse {
  const { output, duration_ms } = validation;
  return { ...toPolicyValidationResponse(validation), output: output as JsonObject | null, duration_ms };
}

export function toBacktestPolicy(body: BacktestPolicyRequest): BacktestPolicy {
  const { policy_content, policy_id, entity_type, entity_id, from, to, limit = BACKTEST_LIMIT.default } = body;
  return { policy_content, limit, ...withoutUndefined({ policy_id, entity_type, entity_id, from, to }) };
}

export function toBacktestResponse(backtest: Backtest): BacktestResponse {
  return {
    tried: backtest.tried,
    same: backtest.same,
    newly_denied: backtest.newly_denied,
    newly_allowed: backtest.newly_allowed,
    failed: backtest.failed,
    skipped: backtest.skipped,
    stopped_by: backtest.stopped_by,
    changes: backtest.changes.map(toBacktestChangeResponse),
  };
}

function toBacktestChangeResponse({ decision, entity_name, before, after }: ChangedDecision): BacktestChangeResponse {
  return {
    decision_id: decision.id,
    at: toWireTime(decision.at),
    entity_type: decision.entity_type,
    entity_id: decision.entity_id,
    entity_name,
    execution_id: decision.execution_id,
    before: { allowed: before.allowed, violations: before.violations },
    after: { allowed: after.allowed, violations: after.violations },
  };
}
