import { columnsOf, type PreparedStatement } from '@app/database';
import { AgentEntity } from './agent.entity.js';

/** Returns an `Agent`; part of every lease. `$1` organization, `$2` agent. */
export const FIND_AGENT: PreparedStatement = {
  name: 'agents.find',
  text: `SELECT ${columnsOf(AgentEntity).join(', ')} FROM agents WHERE organization_id = $1 AND id = $2`,
};

/** Returns a `RunnableAgent`; part of every trigger. `$1` organization, `$2` agent. */
export const FIND_RUNNABLE_AGENT: PreparedStatement = {
  name: 'agents.find_runnable',
  text: 'SELECT id, name, team_id, environment_ids, last_active_at FROM agents WHERE organization_id = $1 AND id = $2',
};

/**
 * Returns a `RunnableAgent` per member of the teams, oldest member first. `$1` organization, `$2` teams, `$3` ids of further
 * members.
 */
export const FIND_RUNNABLE_MEMBERS: PreparedStatement = {
  name: 'agents.find_runnable_members',
  text: `
  SELECT id, name, team_id, environment_ids, last_active_at FROM agents
  WHERE organization_id = $1 AND (team_id = ANY($2::text[]) OR id = ANY($3::text[])) ORDER BY created_at, id`,
};

/** Records the start of a run. `$1` organization, `$2` agent, `$3` time. */
export const TOUCH_AGENT: PreparedStatement = {
  name: 'agents.touch',
  text: 'UPDATE agents SET last_active_at = $3 WHERE organization_id = $1 AND id = $2',
};
