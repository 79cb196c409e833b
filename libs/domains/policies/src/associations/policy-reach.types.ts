import type { PolicyOrigin } from '../policies/policy.types.js';
import type { PolicyAssociation } from './policy-association.types.js';

/** Something that makes a policy apply; the name is null if the entity does not exist. */
export interface NamedOrigin extends PolicyOrigin {
  readonly entity_name: string | null;
}

/** An agent to whose runs a policy applies, with everything that makes it apply. */
export interface ReachedAgent {
  readonly id: string;
  readonly name: string;
  readonly via: readonly NamedOrigin[];
}

export interface PolicyReach {
  /** The newest ones, disabled ones included. */
  readonly associations: readonly (PolicyAssociation & Pick<NamedOrigin, 'entity_name'>)[];
  /** The number of agents, and the first ones, oldest first. */
  readonly agents: { readonly total: number; readonly items: readonly ReachedAgent[] };
  /** The decisions of the last 24 hours for which the policy was evaluated. */
  readonly last_24h: { readonly decisions: number; readonly denied: number };
}
