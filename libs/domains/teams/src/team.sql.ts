import { columnsOf, type PreparedStatement } from '@app/database';
import { hasRuntime, MAX_RANKED, rankOf } from '@app/executions';
import { TeamEntity } from './team.entity.js';

const COLUMNS = columnsOf(TeamEntity).join(', ');

/**
 * Returns a `Team`; executed for every lease of a run of a team, or of an agent with a team. `$1` organization, `$2`
 * team.
 */
export const FIND_TEAM: PreparedStatement = {
  name: 'teams.find',
  text: `SELECT ${COLUMNS} FROM teams WHERE organization_id = $1 AND id = $2`,
};

/** Returns each existing `Team`; executed for every lease of a run that may call teams. `$1` organization, `$2` teams. */
export const FIND_TEAMS: PreparedStatement = {
  name: 'teams.find_all',
  text: `SELECT ${COLUMNS} FROM teams WHERE organization_id = $1 AND id = ANY($2::text[])`,
};

/**
 * Returns a `RunnableTeam` for each existing team; part of every start of a run of a team, or of an agent with a team.
 * `$1` organization, `$2` teams.
 */
export const FIND_RUNNABLE_TEAMS: PreparedStatement = {
  name: 'teams.find_runnable',
  text: `
  SELECT id, name, environment_ids, runtime, configuration -> 'member_ids' AS member_ids,
    configuration -> 'session' AS session,
    updated_by, updated_by_email, updated_at
  FROM teams
  WHERE organization_id = $1 AND id = ANY($2::text[])`,
};

/** Maximum number of candidate teams whose members are read together. */
export const CANDIDATES_PER_READ = 100;

/**
 * Maximum size, in bytes, of the ids of members and environments of a team that a worker may choose: more than 1,600
 * ids. Limited because teams that are read together must not exceed the size limit of a read.
 */
const MAX_LISTED_BYTES = 64 * 1024;

/**
 * Returns each `CandidateTeam` of the organization, the best matches first. `$1` organization, `$2` ids of teams that
 * must not be chosen, `$3` words, `$4` the only team that may be chosen or null, `$5` runtimes or null.
 */
export const FIND_CANDIDATE_TEAMS: PreparedStatement = {
  name: 'teams.find_candidates',
  text: `
  SELECT id, name, description, used_at,
    ${rankOf("concat_ws(' ', name, description)", '$3')} AS rank
  FROM (
    SELECT id, name, left(description, 1000) AS description, environment_ids, configuration, updated_at AS used_at
    FROM teams
    WHERE organization_id = $1 AND status IN ('active', 'idle') AND ($4::text IS NULL OR id = $4)
      AND ${hasRuntime('$5')}
      AND NOT EXISTS (SELECT 1 FROM unnest($2::text[]) AS excluded (id) WHERE excluded.id = teams.id)
    ORDER BY updated_at DESC, id LIMIT ${MAX_RANKED}
  ) recent WHERE octet_length(concat(environment_ids, configuration -> 'member_ids')) <= ${MAX_LISTED_BYTES}
  ORDER BY rank DESC, used_at DESC, id`,
};
