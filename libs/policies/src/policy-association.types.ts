import type { Patch } from '@app/kernel';
import type { PolicyEntityType } from './policy.types.js';

/** One entity has no more of them, so that what applies to it can be read at once. */
export const MAX_ASSOCIATIONS_PER_ENTITY = 100;

/** What a client may change of an association. What it joins stays. */
export interface PolicyAssociationFields {
  /** Higher ones are evaluated first among those of one level. */
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

export interface PolicyAssociation extends StoredPolicyAssociation {
  readonly policy_name: string;
}

export interface CreatePolicyAssociation extends Patch<PolicyAssociationFields> {
  readonly entity_type: PolicyEntityType;
  /** Of an environment the name will do. */
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
