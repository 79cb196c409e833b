export { PoliciesModule } from './policies.module.js';
export { MAX_POLICY_IDS, PolicyResolution } from './policy-resolution.js';
export { entityTypeOf } from './policy-subjects.js';
export { ENTITY_TYPES, type AppliedPolicy, type PolicyEntityType, type PolicySource } from './policy.types.js';
