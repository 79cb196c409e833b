import type { PreparedStatement } from '@app/database';

/** Returns a `RunnableAgent`; part of every trigger. `$1` organization, `$2` agent. */
export const FIND_RUNNABLE_AGENT: PreparedStatement = {
  name: 'agents.find_runnable',
  text: 'SELECT id, name, team_id, environment_ids, last_active_at FROM agents WHERE organization_id = $1 AND id = $2',
};

/** Returns the environments of a team's members, one row per member, oldest member first. `$1` organization, `$2` team. */
export const FIND_ENVIRONMENT_IDS_OF_MEMBERS: PreparedStatement = {
  name: 'agents.environment_ids_of_members',
  text: 'SELECT environment_ids FROM agents WHERE organization_id = $1 AND team_id = $2 ORDER BY created_at, id',
};

/** Records the start of a run. `$1` organization, `$2` agent, `$3` time. */
export const TOUCH_AGENT: PreparedStatement = {
  name: 'agents.touch',
  text: 'UPDATE agents SET last_active_at = $3 WHERE organization_id = $1 AND id = $2',
};
