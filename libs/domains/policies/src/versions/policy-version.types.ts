import type { PolicyFields, PolicyType } from '../policies/policy.types.js';

/** The state of a policy after its creation or after one update. Immutable, and kept when the policy is deleted. */
export interface PolicyVersion extends PolicyFields {
  readonly policy_id: string;
  readonly version: number;
  readonly organization_id: string;
  readonly policy_type: PolicyType;
  /** The author of this version. */
  readonly created_by: string | null;
  readonly created_at: Date;
}

/** A version without its text, for lists. */
export type PolicyVersionSummary = Omit<PolicyVersion, 'policy_content'>;

export type VersionKey = Pick<PolicyVersion, 'policy_id' | 'version'>;
export type VersionText = Pick<PolicyVersion, 'policy_id' | 'version' | 'policy_content'>;
