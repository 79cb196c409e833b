import type { TeamRoster } from '@app/agents';
import type { Runnable } from '@app/executions';
import type { Team } from './team.types.js';

/**
 * The members of a team are the agents with its id as `team_id` and those in `member_ids` of its configuration, each
 * once; ids that name no agent of the organization are ignored. Code that needs the members passes this roster to
 * `AgentService`.
 */
export function rosterOf({ id, configuration }: Pick<Team, 'id' | 'configuration'>): TeamRoster {
  return { id, memberIds: [...new Set(memberIdsOf(configuration))] };
}

/** Returns the texts in `member_ids` of a configuration. */
export function memberIdsOf({ member_ids: ids }: Team['configuration']): readonly string[] {
  return Array.isArray(ids) ? ids.filter((id): id is string => typeof id === 'string') : [];
}

/**
 * The environments of a team, as ids or names: its own, then those of its members, each once. This is the only place
 * that computes them: routing, policies, context, skills and variables read `Runnable.environmentIds`.
 */
export function environmentIdsOf(
  team: Pick<Team, 'environment_ids'>,
  members: readonly Pick<Runnable, 'environmentIds'>[],
): string[] {
  return [...new Set([...team.environment_ids, ...members.flatMap(({ environmentIds }) => environmentIds)])];
}
