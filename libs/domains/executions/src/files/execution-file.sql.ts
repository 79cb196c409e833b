import type { PreparedStatement } from '@app/database';

/**
 * Returns the number and total size of the files of an execution, without one of them. `$1` organization, `$2`
 * execution, `$3` name of the excluded file.
 */
export const MEASURE_OTHER_FILES: PreparedStatement = {
  name: 'execution_file.measure_others',
  text: `SELECT count(*)::integer AS files, coalesce(sum(size), 0)::integer AS bytes
    FROM execution_files WHERE organization_id = $1 AND execution_id = $2 AND name <> $3`,
};

/** Inserts a file or replaces the file with the same name. The parameters are the columns. */
export const SAVE_FILE: PreparedStatement = {
  name: 'execution_file.save',
  text: `
  INSERT INTO execution_files (organization_id, execution_id, name, size, content_type, content, created_at)
  VALUES ($1, $2, $3, $4, $5, $6, $7)
  ON CONFLICT (organization_id, execution_id, name) DO UPDATE SET
    size = excluded.size, content_type = excluded.content_type, content = excluded.content,
    created_at = excluded.created_at`,
};
