import type { PreparedStatement } from '@app/database';

/**
 * Returns a `RunnableTeam` per existing team; part of every start of a run of a team, or of an agent with a team. `$1`
 * organization, `$2` teams.
 */
export const FIND_RUNNABLE_TEAMS: PreparedStatement = {
  name: 'teams.find_runnable',
  text: `
  SELECT id, name, environment_ids, configuration -> 'member_ids' AS member_ids FROM teams
  WHERE organization_id = $1 AND id = ANY($2::text[])`,
};
