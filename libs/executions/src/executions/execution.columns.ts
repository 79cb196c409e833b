import type { Execution, ExecutionOrder } from './execution.types.js';

const EXECUTION_COLUMNS: readonly (keyof Execution)[] = [
  'id',
  'organization_id',
  'execution_type',
  'entity_id',
  'entity_name',
  'prompt',
  'system_prompt',
  'status',
  'response',
  'error_message',
  'runner_name',
  'user_id',
  'user_name',
  'user_email',
  'user_avatar',
  'usage',
  'execution_metadata',
  'participants',
  'created_at',
  'started_at',
  'completed_at',
  'updated_at',
  'last_message_at',
  'last_message_preview',
  'job_id',
  'parent_execution_id',
  'trigger_type',
  'worker_queue_id',
];

const ORDER_COLUMNS: readonly (keyof ExecutionOrder)[] = [
  ...EXECUTION_COLUMNS,
  'trigger_metadata',
  'config',
  'execution_environment',
  'traceparent',
];

/** What everybody sees of the row `e`. Column and property have the same name, so a row of these is an `Execution`. */
export const EXECUTION = EXECUTION_COLUMNS.map((column) => `e.${column}`).join(', ');

/** The same with what a worker needs. */
export const EXECUTION_ORDER = ORDER_COLUMNS.map((column) => `e.${column}`).join(', ');
