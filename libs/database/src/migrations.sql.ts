/** The table in which TypeORM records the applied migrations. */
export const MIGRATIONS_TABLE = 'schema_migrations';

/** The number of migrations that are not applied, as `missing`. `$1` names. */
export const COUNT_MISSING_MIGRATIONS = `
  SELECT count(*)::integer AS missing FROM unnest($1::text[]) AS known (name)
  WHERE name NOT IN (SELECT name FROM ${MIGRATIONS_TABLE})`;
