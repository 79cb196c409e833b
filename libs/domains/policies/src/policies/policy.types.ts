import type { EntityRef, JsonObject, Patch } from '@app/kernel';

export const ENTITY_TYPES = ['agent', 'team', 'environment'] as const;
/** The types of entities with which a policy can be associated. */
export type PolicyEntityType = (typeof ENTITY_TYPES)[number];

export const POLICY_TYPES = ['rego'] as const;
export type PolicyType = (typeof POLICY_TYPES)[number];

/**
 * Maximum number of characters of a policy's text. Typical policies have a few thousand; a policy of this size compiles
 * in 0.1 s.
 */
export const MAX_POLICY_CONTENT = 64 * 1024;
export const MAX_POLICY_NAME = 255;
export const MAX_POLICY_TAGS = 100;

/** Limits on the policies of one decision. */
export interface DecisionLimits {
  readonly policies: number;
  /** Size of all texts together. */
  readonly bytes: number;
}

/**
 * The programs of all policies of a decision are in memory at the same time, at up to 300 bytes per byte of text, so
 * `bytes` also limits the memory.
 */
export const DECISION_LIMITS = { policies: 500, bytes: 1024 * 1024 } as const satisfies DecisionLimits;

/** The fields of a policy that a client sets. */
export interface PolicyFields {
  /** Not unique. */
  readonly name: string;
  readonly description: string | null;
  /** A disabled policy does not apply anywhere. */
  readonly enabled: boolean;
  readonly tags: string[];
  /** A text that compiles, or an empty text. A policy with an empty text is a draft, and denies wherever it applies. */
  readonly policy_content: string;
  readonly metadata: JsonObject;
}

export interface StoredPolicy extends PolicyFields {
  readonly id: string;
  readonly organization_id: string;
  readonly policy_type: PolicyType;
  /** Starts at 1 and increases by one with each update. */
  readonly version: number;
  readonly created_by: string | null;
  readonly updated_by: string | null;
  readonly created_at: Date;
  readonly updated_at: Date;
}

export interface Policy extends StoredPolicy {
  readonly association_count: number;
}

/** Row of a new policy, without what the repository adds. */
export type NewPolicy = Omit<StoredPolicy, 'organization_id' | 'created_at' | 'updated_at'>;
export type CreatePolicy = Pick<PolicyFields, 'name'> & Patch<Omit<PolicyFields, 'name'>>;
export type UpdatePolicy = Patch<PolicyFields>;

export interface PolicyFilter {
  readonly name?: string;
  readonly enabled?: boolean;
  /** A case-insensitive part of the name or the description. */
  readonly search?: string;
}

/** An entity with which a policy can be associated. */
export type PolicySource = EntityRef<PolicyEntityType>;

/**
 * What makes policies apply, in order of evaluation. Contains `ENTITY_TYPES`: otherwise a `PolicySource` is not assignable
 * to `PolicyOrigin`.
 */
export const ORIGIN_TYPES = ['environment', 'project', 'team', 'agent'] as const;

/** What makes a policy apply: an entity, by an association or its context, or a project that names the policy. */
export type PolicyOrigin = EntityRef<(typeof ORIGIN_TYPES)[number]>;

/** A policy that applies because a project or a context names it. */
export interface PolicyReference {
  readonly policy_id: string;
  readonly origin: PolicyOrigin;
}

/** A policy as it applies to an entity. */
export interface AppliedPolicy {
  readonly policy_id: string;
  readonly policy_name: string;
  readonly version: number;
  readonly policy_content: string;
  /** The first of `sources`. */
  readonly source: PolicyOrigin;
  /** Everything that makes the policy apply, in order of evaluation. */
  readonly sources: readonly PolicyOrigin[];
}

/** The policies of one decision; `tooMany` if they exceed `DECISION_LIMITS`. */
export type AppliedPolicies = readonly AppliedPolicy[] | 'tooMany';
