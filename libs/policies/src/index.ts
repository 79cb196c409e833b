export { PoliciesModule } from './policies.module.js';
export { PoliciesHandlersModule } from './policies.handlers.module.js';
export { PolicyAssociationService } from './policy-association.service.js';
export { PolicyDecisionService } from './policy-decision.service.js';
export {
  DECISION_KINDS,
  type CheckAuthorization,
  type DecisionKind,
  type EvaluatePolicies,
  type PolicyDecision,
  type PolicyDecisionFilter,
  type PolicyDecisionSummary,
  type ReplayedDecision,
} from './policy-decision.types.js';
export { policyFaults } from './policy-compiler.js';
export { PolicyReplayService } from './policy-replay.service.js';
export { MAX_POLICY_IDS, PolicyResolution } from './policy-resolution.js';
export { PolicyService } from './policy.service.js';
export { PolicyValidationService, type PolicyValidation, type ValidatePolicy } from './policy-validation.service.js';
export { PolicyVersionService } from './policy-version.service.js';
export { entityTypeOf } from './policy-subjects.js';
export {
  ENTITY_TYPES,
  MAX_POLICY_CONTENT,
  MAX_POLICY_NAME,
  MAX_POLICY_TAGS,
  POLICY_TYPES,
  type AppliedPolicy,
  type CreatePolicy,
  type Policy,
  type PolicyEntityType,
  type PolicyFilter,
  type PolicySource,
  type PolicyType,
  type UpdatePolicy,
} from './policy.types.js';
export type {
  CreatePolicyAssociation,
  PolicyAssociation,
  PolicyAssociationFilter,
  UpdatePolicyAssociation,
} from './policy-association.types.js';
export type { PolicyVersion, PolicyVersionSummary } from './policy-version.types.js';
export { VERDICT_FAILURES, type PolicyResult } from './verdict.types.js';
