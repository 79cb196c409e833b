/** A table whose rows can name the resource. */
export interface UsingTable {
  readonly table: string;
  readonly place: string;
  readonly conditions: readonly string[];
}

/**
 * Returns the places that name a resource, in alphabetical order, each with the number of all places as `total`. `$1`
 * organization, `$2` the words that name it, `$3` limit.
 */
export function findUses(tables: readonly UsingTable[]): string {
  const places = tables.map(
    ({ table, place, conditions }) => `
  SELECT ${place} AS place FROM ${table} used WHERE used.organization_id = $1 AND (${conditions.join(' OR ')})`,
  );
  return `SELECT place, count(*) OVER ()::int AS total FROM (${places.join('\n  UNION ALL')}\n) uses ORDER BY place LIMIT $3`;
}
