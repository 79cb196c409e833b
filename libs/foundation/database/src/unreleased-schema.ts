import type { DataSource } from 'typeorm';
import { FIND_TABLE, FIND_UNKNOWN_MIGRATION, MIGRATIONS_TABLE } from './migrations.sql.js';
import { FIRST_CHANGE } from './migrations/history.js';
import { migrations } from './migrations/index.js';

/**
 * Throws if the database has migrations of the time before the first version, which were replaced by those that create
 * the initial schema. Without this check, the start would create tables that exist already, or run none of them.
 */
export async function rejectUnreleasedSchema(connection: Pick<DataSource, 'query'>): Promise<void> {
  const [table] = await connection.query<object[]>(FIND_TABLE, [MIGRATIONS_TABLE]);
  if (table === undefined) return;
  const known = migrations.map(({ name }) => name);
  const [unknown] = await connection.query<{ name: string }[]>(FIND_UNKNOWN_MIGRATION, [FIRST_CHANGE, known]);
  if (unknown === undefined) return;
  throw new Error(
    `the database was made by an unreleased version of the platform (migration ${unknown.name}) and must be recreated: ` +
      'use an empty database (npm start: another DATA_DIR)',
  );
}
