import { changeOf, DEFAULT_RUNTIME, type Runnable, type RunnableRef } from '@app/executions';
import type { Agent, RunnableAgent } from './agent.types.js';

export function toRunnable(agent: RunnableAgent): Runnable {
  const { id, name, environment_ids: environmentIds, last_active_at: lastActiveAt } = agent;
  const changes = [changeOf({ kind: 'agent', id }, agent)];
  const runtime = agent.runtime || DEFAULT_RUNTIME;
  return { kind: 'agent', id, name, environmentIds, memberOf: teamOf(agent), lastActiveAt, runtime, changes };
}

/** An agent inherits from the team in `team_id`, not from teams that list it in their `member_ids`. */
export function teamOf({ team_id: id }: Pick<Agent, 'team_id'>): readonly RunnableRef[] {
  return id === null ? [] : [{ kind: 'team', id }];
}
