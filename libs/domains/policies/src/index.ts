export { PoliciesModule } from './policies.module.js';
export { PoliciesHandlersModule } from './policies.handlers.module.js';
export { PolicyAssociationService } from './associations/policy-association.service.js';
export { PolicyBacktestService } from './decisions/policy-backtest.service.js';
export type { Backtest, BacktestPolicy, ChangedDecision } from './decisions/policy-backtest.types.js';
export { PolicyDecisionService } from './decisions/policy-decision.service.js';
export {
  DECISION_KINDS,
  type CheckAuthorization,
  type DecisionKind,
  type EvaluatePolicies,
  type PolicyDecision,
  type PolicyDecisionFilter,
  type PolicyDecisionSummary,
  type ReplayedDecision,
} from './decisions/policy-decision.types.js';
export { PolicyChecker } from './verdicts/policy-checker.js';
export { PolicyReplayService } from './decisions/policy-replay.service.js';
export { MAX_POLICY_IDS, PolicyResolution } from './associations/policy-resolution.js';
export { PolicyReachService } from './associations/policy-reach.service.js';
export type { NamedOrigin, PolicyReach, ReachedAgent } from './associations/policy-reach.types.js';
export { PolicyService } from './policies/policy.service.js';
export {
  PolicyValidationService,
  type DraftValidation,
  type PolicyValidation,
  type ValidateDraft,
  type ValidatePolicy,
} from './policies/policy-validation.service.js';
export { PolicyWarningService, type WarnedPolicy } from './policies/policy-warning.service.js';
export { PolicyVersionService } from './versions/policy-version.service.js';
export {
  ENTITY_TYPES,
  DECISION_LIMITS,
  MAX_POLICY_CONTENT,
  MAX_POLICY_NAME,
  MAX_POLICY_TAGS,
  ORIGIN_TYPES,
  POLICY_TYPES,
  type AppliedPolicy,
  type CreatePolicy,
  type Policy,
  type PolicyEntityType,
  type PolicyFilter,
  type PolicyOrigin,
  type PolicySource,
  type PolicyType,
  type UpdatePolicy,
} from './policies/policy.types.js';
export type {
  CreatePolicyAssociation,
  PolicyAssociation,
  PolicyAssociationFilter,
  UpdatePolicyAssociation,
} from './associations/policy-association.types.js';
export type { PolicyVersion, PolicyVersionSummary } from './versions/policy-version.types.js';
export { VERDICT_FAILURES, type PolicyResult } from './evaluation/verdict.types.js';
