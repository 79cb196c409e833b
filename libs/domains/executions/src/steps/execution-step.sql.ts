import { columnsOf, type PreparedStatement } from '@app/database';
import { ExecutionStepEntity } from './execution-step.entity.js';
import type { StoredStep } from './execution-step.types.js';

/** The columns of a report and their array types, in the order of the parameters after the execution. */
export const REPORTED_COLUMNS = {
  name: 'text[]',
  status: 'text[]',
  attempt: 'integer[]',
  output: 'text[]',
  error_message: 'text[]',
  started_at: 'timestamptz[]',
  completed_at: 'timestamptz[]',
  duration_ms: 'double precision[]',
  usage: 'json[]',
} as const satisfies Partial<Record<keyof StoredStep, string>>;

const COLUMNS = Object.keys(REPORTED_COLUMNS);
const VALUES = COLUMNS.filter((column) => column !== 'name');

/**
 * Inserts or replaces steps, each once. `$1` organization, `$2` execution, then an array of each of `REPORTED_COLUMNS`.
 */
export const SAVE_STEPS: PreparedStatement = {
  name: 'execution_step.save',
  text: `
  INSERT INTO execution_steps (organization_id, execution_id, ${COLUMNS.join(', ')})
  SELECT $1, $2, ${COLUMNS.join(', ')}
  FROM unnest(${Object.values(REPORTED_COLUMNS)
    .map((type, index) => `$${index + 3}::${type}`)
    .join(', ')}) AS given (${COLUMNS.join(', ')})
  ON CONFLICT (organization_id, execution_id, name) DO UPDATE SET
    ${VALUES.map((column) => `${column} = excluded.${column}`).join(', ')}`,
};

/** Total size in bytes of the outputs, errors and usage of an execution's steps. `$1` organization, `$2` execution. */
export const MEASURE_STEPS: PreparedStatement = {
  name: 'execution_step.measure',
  text: `SELECT coalesce(sum(coalesce(octet_length(output), 0) + coalesce(octet_length(error_message), 0)
      + octet_length(usage::text)), 0)::integer AS bytes
    FROM execution_steps WHERE organization_id = $1 AND execution_id = $2`,
};

/** Each stored step of an execution. `$1` organization, `$2` execution. */
export const FIND_STEPS: PreparedStatement = {
  name: 'execution_step.find',
  text: `SELECT ${columnsOf(ExecutionStepEntity, 'organization_id', 'execution_id').join(', ')}
    FROM execution_steps WHERE organization_id = $1 AND execution_id = $2`,
};

/** The definition of an execution and its status. `$1` organization, `$2` execution. */
export const FIND_DEFINITION: PreparedStatement = {
  name: 'execution_step.find_definition',
  text: 'SELECT definition, status FROM executions WHERE organization_id = $1 AND id = $2',
};
