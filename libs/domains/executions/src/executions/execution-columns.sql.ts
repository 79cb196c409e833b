import { columnsOf } from '@app/database';
import { ExecutionEntity } from './execution.entity.js';
import type { ExecutionOwner, RepeatableExecution } from './execution.types.js';

const LEASE = ['lease_token', 'lease_worker_id', 'lease_expires_at', 'lease_ms'] as const;
const COMMAND = ['command', 'command_at'] as const;
const USAGE = ['model', 'input_tokens', 'output_tokens', 'total_tokens', 'cost_nanos'] as const;
const INTERNAL = ['duration_ms', 'cause', 'start_input', 'session_turn', ...USAGE] as const;
const RETRIES = ['attempt', 'max_attempts', 'retry_on', 'retry_delay_ms', 'retry_factor'] as const;
const CLOCK = ['timeout_at', 'timeout_left_ms'] as const;
const DELIVERY = ['queued_at', ...RETRIES, 'timeout_at'] as const;
const CONFIG = [
  ...(['trigger_metadata', 'config', 'execution_environment', 'may_override_environment'] as const),
  ...(['definition', 'callable', 'plan', 'earlier_usage', 'timeout_ms', 'timeout_left_ms'] as const),
  ...(['trace_origin', 'leased_at'] as const),
] as const;

/** The columns of an `Execution`. */
export const EXECUTION_COLUMNS = columnsOf(ExecutionEntity, ...INTERNAL, ...LEASE, ...COMMAND, ...DELIVERY, ...CONFIG);

/** The columns of an `ExecutionWithConfig`. */
export const CONFIG_COLUMNS = columnsOf(ExecutionEntity, ...INTERNAL, ...LEASE, ...COMMAND, ...DELIVERY);

/** The columns of an `ExecutionOwner`. */
export const OWNER_COLUMNS = [
  ...(['id', 'execution_type', 'entity_id', 'user_id', 'user_name', 'user_email', 'user_avatar'] as const),
] satisfies readonly (keyof ExecutionOwner)[];

/** The columns of a `RepeatableExecution`. */
export const REPEATABLE_COLUMNS = [
  ...(['id', 'execution_type', 'entity_id', 'prompt', 'system_prompt', 'user_id', 'job_id'] as const),
  ...(['execution_metadata', 'config', 'execution_environment', 'start_input'] as const),
] satisfies readonly (keyof RepeatableExecution)[];

/** The columns of a `NewExecution`. */
export const INSERTED_COLUMNS = columnsOf(
  ExecutionEntity,
  'duration_ms',
  'plan',
  'earlier_usage',
  ...USAGE,
  ...LEASE,
  'leased_at',
  ...COMMAND,
  ...CLOCK,
);

/** The select list of an `Execution`, for the table alias `e`. */
export const EXECUTION = EXECUTION_COLUMNS.map((column) => `e.${column}`).join(', ');

/** The select list of an `ExecutionWithConfig`, for the table alias `e`. */
export const EXECUTION_WITH_CONFIG = CONFIG_COLUMNS.map((column) => `e.${column}`).join(', ');
