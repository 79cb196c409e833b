import { ResponseInteger, ResponseList, ResponseNested, ResponseString } from '@app/http';
import { ORIGIN_TYPES } from '@app/policies';
import { PolicyAssociationResponse } from './policy-association.response.dto.js';

export class NamedAssociationResponse extends PolicyAssociationResponse {
  @ResponseString({ nullable: true, description: 'Name of the entity; null if it does not exist any more' })
  readonly entity_name!: string | null;
}

export class PolicyOriginResponse {
  @ResponseString({ enum: ORIGIN_TYPES, description: 'Kind of the entity' })
  readonly entity_type!: string;

  @ResponseString({ description: 'Id of the agent, team, environment or project' })
  readonly entity_id!: string;

  @ResponseString({ nullable: true, description: 'Name of the entity; null if it does not exist any more' })
  readonly entity_name!: string | null;
}

export class ReachedAgentResponse {
  @ResponseString()
  readonly id!: string;

  @ResponseString({ description: 'Name of the agent' })
  readonly name!: string;

  @ResponseList(PolicyOriginResponse, {
    description: 'Everything that makes the policy apply to the agent: an environment, a project, a team, or the agent',
  })
  readonly via!: readonly PolicyOriginResponse[];
}

export class ReachedAgentsResponse {
  @ResponseInteger({ description: 'Number of agents to whose runs the policy applies' })
  readonly total!: number;

  @ResponseList(ReachedAgentResponse, { description: 'At most 200 of them, oldest first' })
  readonly items!: readonly ReachedAgentResponse[];
}

export class RecentDecisionsResponse {
  @ResponseInteger({ description: 'Number of decisions for which the policy was evaluated' })
  readonly decisions!: number;

  @ResponseInteger({ description: 'Number of these decisions that deny, because of this or another policy' })
  readonly denied!: number;
}

export class PolicyReachResponse {
  @ResponseList(NamedAssociationResponse, {
    description: 'At most 200 associations of the policy, newest first, disabled ones included',
  })
  readonly associations!: readonly NamedAssociationResponse[];

  @ResponseNested(ReachedAgentsResponse, {
    description: 'Agents to whose runs the policy applies, or would apply if it were enabled',
  })
  readonly agents!: ReachedAgentsResponse;

  @ResponseNested(RecentDecisionsResponse, { description: 'Decisions of the last 24 hours' })
  readonly last_24h!: RecentDecisionsResponse;
}
