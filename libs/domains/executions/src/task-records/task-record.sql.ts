import { columnsOf, type PreparedStatement } from '@app/database';
import { TaskRecordEntity } from './task-record.entity.js';
import type { TaskRecord } from './task-record.types.js';

/** The fields of a `TaskWrite` and their array types, in the order of the parameters after the execution. */
export const WRITTEN_FIELDS = {
  task_id: 'text[]',
  id: 'text[]',
  task_number: 'integer[]',
  task_description: 'text[]',
  task_type: 'text[]',
  status: 'text[]',
  started_at: 'timestamptz[]',
  completed_at: 'timestamptz[]',
  duration_ms: 'double precision[]',
  result: 'text[]',
  error_message: 'text[]',
  metadata: 'json[]',
} as const satisfies Partial<Record<keyof TaskRecord, string>>;

const GIVEN = Object.keys(WRITTEN_FIELDS);
const OPTIONAL = GIVEN.filter((field) => field !== 'task_id' && field !== 'id');

/**
 * Inserts or updates the records of tasks, each task once, and returns each `TaskRecord`; null keeps a value. The
 * caller must have locked the execution, so that no other write changes a record between the join and the insert. `$1`
 * organization, `$2` execution, then an array of each of `WRITTEN_FIELDS` (`id`: of a new record, `metadata`: as JSON),
 * last: now.
 */
export const SAVE_TASK_RECORDS: PreparedStatement = {
  name: 'task_record.save',
  text: `
  INSERT INTO task_records (organization_id, execution_id, task_id, id, ${OPTIONAL.join(', ')}, created_at, updated_at)
  SELECT $1, $2, given.task_id, given.id, ${OPTIONAL.map(valueOf).join(', ')}, $${GIVEN.length + 3}, $${GIVEN.length + 3}
  FROM unnest(${Object.values(WRITTEN_FIELDS)
    .map((type, index) => `$${index + 3}::${type}`)
    .join(', ')}) AS given (${GIVEN.join(', ')})
  LEFT JOIN task_records old ON old.organization_id = $1 AND old.execution_id = $2 AND old.task_id = given.task_id
  ON CONFLICT (organization_id, execution_id, task_id) DO UPDATE SET
    ${OPTIONAL.map((field) => `${field} = excluded.${field}`).join(', ')}, updated_at = excluded.updated_at
  RETURNING ${columnsOf(TaskRecordEntity, 'organization_id').join(', ')}`,
};

function valueOf(field: string): string {
  const defaults: Readonly<Record<string, string>> = { status: `, 'pending'`, metadata: `, '{}'` };
  return `coalesce(given.${field}, old.${field}${defaults[field] ?? ''})`;
}

/**
 * Inserts records; a record with a known id is replaced. `$1` organization, `$2` execution, `$3` kind, `$4` ids, `$5`
 * records as JSON, `$6` now.
 */
export const SAVE_EXECUTION_RECORDS = `
  INSERT INTO execution_records (organization_id, execution_id, kind, record_id, record, created_at)
  SELECT $1, $2, $3, id, record, $6 FROM unnest($4::text[], $5::json[]) AS given (id, record)
  ON CONFLICT (organization_id, execution_id, kind, record_id) DO UPDATE SET record = excluded.record`;
