/** The table in which TypeORM records the applied migrations. */
export const MIGRATIONS_TABLE = 'schema_migrations';

/** The number of migrations that are not applied, as `missing`. `$1` names. */
export const COUNT_MISSING_MIGRATIONS = `
  SELECT count(*)::integer AS missing FROM unnest($1::text[]) AS known (name)
  WHERE name NOT IN (SELECT name FROM ${MIGRATIONS_TABLE})`;

/** Returns no row if the database has no migration yet. `$1` name of the table. */
export const FIND_TABLE = 'SELECT 1 AS found WHERE to_regclass($1) IS NOT NULL';

/** Returns an applied migration with a number below `$1` that is not among the names `$2`. */
export const FIND_UNKNOWN_MIGRATION = `
  SELECT name FROM ${MIGRATIONS_TABLE} WHERE "timestamp" < $1 AND name <> ALL($2::text[]) ORDER BY name LIMIT 1`;
