import type { PolicyFields, PolicyType } from './policy.types.js';

/** A policy as one update (or its making) left it. Never changed, and kept when the policy is deleted. */
export interface PolicyVersion extends PolicyFields {
  readonly policy_id: string;
  readonly version: number;
  readonly organization_id: string;
  readonly policy_type: PolicyType;
  /** Who made this version, and when. */
  readonly created_by: string | null;
  readonly created_at: Date;
}

/** A version without its text, for lists. */
export type PolicyVersionSummary = Omit<PolicyVersion, 'policy_content'>;
