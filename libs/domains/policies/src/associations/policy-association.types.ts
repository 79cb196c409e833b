import type { Patch } from '@app/kernel';
import type { PolicyEntityType } from '../policies/policy.types.js';

/** Limits the policies that apply to an entity, which are read with one query. */
export const MAX_ASSOCIATIONS_PER_ENTITY = 100;

/** The fields that a client can change; the policy and the entity cannot be changed. */
export interface PolicyAssociationFields {
  /** Within a level (environment, team, agent), a higher priority is evaluated first. */
  readonly priority: number;
  readonly enabled: boolean;
}

export interface StoredPolicyAssociation extends PolicyAssociationFields {
  readonly id: string;
  readonly organization_id: string;
  readonly entity_type: PolicyEntityType;
  readonly entity_id: string;
  readonly policy_id: string;
  readonly created_by: string | null;
  readonly created_at: Date;
  readonly updated_at: Date;
}

export type NewPolicyAssociation = Omit<StoredPolicyAssociation, 'organization_id'>;

export interface PolicyAssociation extends StoredPolicyAssociation {
  readonly policy_name: string;
}

export interface CreatePolicyAssociation extends Patch<PolicyAssociationFields> {
  readonly entity_type: PolicyEntityType;
  /** The id, or for an environment its name. */
  readonly entity_id: string;
  readonly policy_id: string;
}

export type UpdatePolicyAssociation = Patch<PolicyAssociationFields>;

export interface PolicyAssociationFilter {
  readonly entity_type?: PolicyEntityType;
  readonly entity_id?: string;
  readonly policy_id?: string;
  readonly enabled?: boolean;
}
