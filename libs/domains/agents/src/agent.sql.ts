import { columnsOf, type PreparedStatement } from '@app/database';
import { hasRuntime, MAX_CANDIDATE_CAPABILITIES, MAX_RANKED, rankOf } from '@app/executions';
import { AgentEntity } from './agent.entity.js';

/** Returns an `Agent`; executed for every lease. `$1` organization, `$2` agent. */
export const FIND_AGENT: PreparedStatement = {
  name: 'agents.find',
  text: `SELECT ${columnsOf(AgentEntity).join(', ')} FROM agents WHERE organization_id = $1 AND id = $2`,
};

/** Returns each existing `Agent`; executed for every lease of a run that may call agents. `$1` organization, `$2` agents. */
export const FIND_AGENTS: PreparedStatement = {
  name: 'agents.find_all',
  text: `SELECT ${columnsOf(AgentEntity).join(', ')} FROM agents WHERE organization_id = $1 AND id = ANY($2::text[])`,
};

const RUNNABLE =
  'id, name, team_id, environment_ids, last_active_at, runtime, updated_by, updated_by_email, updated_at';

/** Returns a `RunnableAgent`; executed for every start of a run. `$1` organization, `$2` agent. */
export const FIND_RUNNABLE_AGENT: PreparedStatement = {
  name: 'agents.find_runnable',
  text: `SELECT ${RUNNABLE} FROM agents WHERE organization_id = $1 AND id = $2`,
};

/** Returns a `RunnableAgent` for each existing agent. `$1` organization, `$2` agents. */
export const FIND_RUNNABLE_AGENTS: PreparedStatement = {
  name: 'agents.find_all_runnable',
  text: `SELECT ${RUNNABLE} FROM agents WHERE organization_id = $1 AND id = ANY($2::text[])`,
};

/**
 * Returns a `RunnableAgent` for each member of the teams, oldest member first. `$1` organization, `$2` teams, `$3` ids
 * of further members.
 */
export const FIND_RUNNABLE_MEMBERS: PreparedStatement = {
  name: 'agents.find_runnable_members',
  text: `
  SELECT ${RUNNABLE} FROM agents
  WHERE organization_id = $1 AND (team_id = ANY($2::text[]) OR id = ANY($3::text[])) ORDER BY created_at, id`,
};

/**
 * Condition: a worker may choose the agent. `$2` id and name of the environment, `$3` ids of excluded agents, `$4` ids of
 * excluded teams.
 */
const MAY_RUN = `status NOT IN ('paused', 'stopped') AND (environment_ids = '{}' OR environment_ids && $2::text[])
  AND NOT EXISTS (SELECT 1 FROM unnest($3::text[]) AS excluded (id) WHERE excluded.id = agents.id)
  AND NOT EXISTS (SELECT 1 FROM unnest($4::text[]) AS excluded (id) WHERE excluded.id = agents.team_id)`;

/** The text of an agent that candidates are ranked by. */
const RANKED_TEXT = `concat_ws(' ', name, left(description, 1000),
  array_to_string(capabilities[1:${MAX_CANDIDATE_CAPABILITIES}], ' '))`;

/**
 * Returns a `RunCandidate`, without its kind, for the best matches among the `MAX_RANKED` most recently used agents
 * that may run, the best first. `$1` organization, `$2` to `$4` see `MAY_RUN`, `$5` words, `$6` id of the only agent to
 * consider or null, `$7` limit, `$8` runtimes or null.
 */
export const FIND_CANDIDATE_AGENTS: PreparedStatement = {
  name: 'agents.find_candidates',
  text: `
  SELECT id, name, left(description, 1000) AS description, capabilities[1:${MAX_CANDIDATE_CAPABILITIES}] AS capabilities,
    ${rankOf(RANKED_TEXT, '$5')} AS rank,
    used_at
  FROM (
    SELECT id, name, description, capabilities, coalesce(last_active_at, updated_at) AS used_at FROM agents
    WHERE organization_id = $1 AND ${MAY_RUN} AND ($6::text IS NULL OR id = $6)
      AND ${hasRuntime('$8')}
    ORDER BY used_at DESC, id LIMIT ${MAX_RANKED}
  ) recent ORDER BY rank DESC, used_at DESC, id LIMIT $7`,
};

/**
 * Returns a `RosterMember` for each agent that belongs to one of the teams or is listed. `$1` organization, `$2` teams,
 * `$3` ids of further members.
 */
export const FIND_ROSTERS: PreparedStatement = {
  name: 'agents.find_rosters',
  text: `
  SELECT id, team_id, environment_ids, capabilities[1:${MAX_CANDIDATE_CAPABILITIES}] AS capabilities FROM agents
  WHERE organization_id = $1 AND (team_id = ANY($2::text[]) OR id = ANY($3::text[])) ORDER BY created_at, id`,
};

/** Records the start of a run. `$1` organization, `$2` agent, `$3` time. */
export const RECORD_AGENT_ACTIVITY: PreparedStatement = {
  name: 'agents.record_activity',
  text: 'UPDATE agents SET last_active_at = $3 WHERE organization_id = $1 AND id = $2',
};
