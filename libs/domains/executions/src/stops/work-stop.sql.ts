import { DATABASE_NOW, type PreparedStatement } from '@app/database';

/** Condition: none of the sources is stopped. All parameters are SQL expressions. */
export function notStopped(organization: string, ...sources: readonly string[]): string {
  return `NOT EXISTS (SELECT FROM work_stops WHERE organization_id = ${organization} AND id IN (${sources.join(', ')}))`;
}

/** Stops a source for much longer than a request takes. `$1` organization, `$2` source. */
export const STOP: PreparedStatement = {
  name: 'work_stops.stop',
  text: `INSERT INTO work_stops (organization_id, id, expires_at) VALUES ($1, $2, ${DATABASE_NOW} + interval '1 hour')
    ON CONFLICT (organization_id, id) DO UPDATE SET expires_at = excluded.expires_at`,
};

/** `$1` organization, `$2` source. */
export const ALLOW: PreparedStatement = {
  name: 'work_stops.allow',
  text: 'DELETE FROM work_stops WHERE organization_id = $1 AND id = $2',
};

/** Returns a row if one of the sources is stopped. `$1` organization, `$2` sources. */
export const FIND_STOP: PreparedStatement = {
  name: 'work_stops.find',
  text: 'SELECT 1 AS one FROM work_stops WHERE organization_id = $1 AND id = ANY($2) LIMIT 1',
};

/** Deletes expired stops of all organizations. `$1` limit. */
export const PRUNE_STOPS = `
  DELETE FROM work_stops WHERE (organization_id, id) IN (
    SELECT organization_id, id FROM work_stops WHERE expires_at < ${DATABASE_NOW}
    ORDER BY expires_at LIMIT $1 FOR UPDATE SKIP LOCKED
  ) RETURNING 1 AS one`;
