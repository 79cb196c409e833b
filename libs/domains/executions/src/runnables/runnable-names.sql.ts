import type { PreparedStatement } from '@app/database';

/**
 * Returns for each `word` the `ids` of the runnables to which it refers: the one with this id, otherwise at most two
 * with this name. `table` has columns `organization_id`, `id` and `name`. `$1` organization, `$2` words.
 */
export function findIdsNamed(table: string): PreparedStatement {
  return {
    name: `${table}.find_ids_named`,
    text: `
  SELECT word, CASE WHEN EXISTS (SELECT 1 FROM ${table} WHERE organization_id = $1 AND id = word) THEN ARRAY[word]
    ELSE ARRAY(SELECT id FROM ${table} WHERE organization_id = $1 AND name = word LIMIT 2) END AS ids
  FROM unnest($2::text[]) AS named (word)`,
  };
}
