/** Returns the teams that list an agent in `member_ids`, oldest first. `$1` organization, `$2` agent, `$3` limit. */
export const FIND_TEAMS_LISTING = `
  SELECT id, name FROM teams
  WHERE organization_id = $1 AND strpos(configuration::text, $2) > 0
    AND CASE WHEN json_typeof(configuration->'member_ids') = 'array' THEN EXISTS (
      SELECT 1 FROM json_array_elements_text(configuration->'member_ids') AS listed (id) WHERE listed.id = $2)
    ELSE false END
  ORDER BY created_at, id LIMIT $3`;
