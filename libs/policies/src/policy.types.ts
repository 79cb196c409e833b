import type { JsonObject, Patch } from '@app/kernel';

export const ENTITY_TYPES = ['agent', 'team', 'environment'] as const;
/** What a policy can be associated with. */
export type PolicyEntityType = (typeof ENTITY_TYPES)[number];

export const POLICY_TYPES = ['rego'] as const;
export type PolicyType = (typeof POLICY_TYPES)[number];

/** Characters of a policy's text. Policies that people write have a few thousand; these compile in a tenth of a second. */
export const MAX_POLICY_CONTENT = 64 * 1024;
export const MAX_POLICY_NAME = 255;
export const MAX_POLICY_TAGS = 100;

/** What a client may say of a policy. */
export interface PolicyFields {
  /** Not unique. */
  readonly name: string;
  readonly description: string | null;
  /** A policy that is not enabled applies nowhere. */
  readonly enabled: boolean;
  readonly tags: string[];
  /** Compiles, or is empty: a draft, which denies where it applies. */
  readonly policy_content: string;
  readonly metadata: JsonObject;
}

export interface StoredPolicy extends PolicyFields {
  readonly id: string;
  readonly organization_id: string;
  readonly policy_type: PolicyType;
  /** 1 when it is made, one more with each update. */
  readonly version: number;
  readonly created_by: string | null;
  readonly updated_by: string | null;
  readonly created_at: Date;
  readonly updated_at: Date;
}

export interface Policy extends StoredPolicy {
  readonly association_count: number;
}

export type CreatePolicy = Pick<PolicyFields, 'name'> & Patch<Omit<PolicyFields, 'name'>>;
export type UpdatePolicy = Patch<PolicyFields>;

export interface PolicyFilter {
  readonly enabled?: boolean;
  /** Part of the name or the description, in any case. */
  readonly search?: string;
}

/** The entity whose association makes a policy apply. */
export interface PolicySource {
  readonly entity_type: PolicyEntityType;
  readonly entity_id: string;
}

/** A policy as it applies to an entity. */
export interface AppliedPolicy {
  readonly policy_id: string;
  readonly policy_name: string;
  readonly version: number;
  readonly policy_content: string;
  readonly source: PolicySource;
}

/** What is to be evaluated together; `tooMany` where that is more than can be. */
export type AppliedPolicies = readonly AppliedPolicy[] | 'tooMany';
