import { conflict, DomainError, invalid, notFound } from '@app/kernel';
import type { ExecutionPlan } from './execution-plan.js';
import type { ExecutionStatus } from './execution-state.js';

export const executionNotFound = (): DomainError => notFound('execution_not_found', 'Execution');

export const executionIdTaken = (id: string): DomainError =>
  conflict('execution_id_taken', `An execution with the id ${id} already exists`);

/** A newer lease was granted to another worker, or a client without this token ended the execution. */
export const leaseLost = (): DomainError => conflict('lease_lost', 'The lease token is stale; nothing was written');

export const transitionRefused = (from: ExecutionStatus, to: ExecutionStatus): DomainError =>
  conflict('execution_transition_refused', `An execution with status ${from} cannot change to ${to}`);

export const executionAlreadyFinished = (status: ExecutionStatus): DomainError =>
  conflict('execution_finished', `The execution is ${status} and accepts no more messages`);

export const sessionBusy = ({ id, status }: { readonly id: string; readonly status: ExecutionStatus }): DomainError =>
  conflict(
    'session_busy',
    `The execution ${id} of the session is ${status}; nothing was changed. Wait for its end or cancel it first`,
  );

export const executionNotRepeatable = (): DomainError =>
  conflict('execution_not_repeatable', 'The execution names no agent, team or workflow that could run again');

/** Rejects a plan for an execution that has ended. */
export const planTooLate = (status: ExecutionStatus): DomainError =>
  conflict('execution_finished', `The execution is ${status}; nothing can be chosen for it`);

export const executionHasEntity = (): DomainError =>
  conflict('execution_has_entity', 'The start of the execution named what it runs; there is nothing to choose');

export const executionPlannedOtherwise = ({
  entity_type,
  entity_id,
}: Pick<ExecutionPlan, 'entity_type' | 'entity_id'>): DomainError =>
  conflict('execution_planned', `The ${entity_type} ${entity_id} was already chosen for the execution`);

export const planDenied = (denial: string): DomainError => new DomainError('plan_denied', denial);

export const leaseTokenMissing = (): DomainError =>
  invalid([{ path: ['lease_token'], msg: 'Field required', type: 'missing' }]);

export const jobExecutionNotFound = (): DomainError => notFound('job_execution_not_found', 'Job execution');
export const executionFileNotFound = (): DomainError => notFound('execution_file_not_found', 'File');
export const sessionNotFound = (): DomainError => notFound('session_not_found', 'Session');
export const sessionMessageNotFound = (): DomainError => notFound('session_message_not_found', 'Message');
export const taskNotFound = (): DomainError => notFound('task_not_found', 'Task');

export const sentMessagesTooLarge = (maxBytes: number): DomainError =>
  conflict(
    'execution_messages_too_large',
    `The messages sent to the execution have ${maxBytes / 1_048_576} MiB or more; its worker must store them first`,
  );

/** `field` is the request field that exceeds the limit. */
export const sessionMessageLimitExceeded = (field: string, max: number): DomainError =>
  invalid([{ path: [field], msg: `A session should have at most ${max} messages`, type: 'too_long' }]);

export const sessionTooLarge = (maxBytes: number): DomainError =>
  invalid([
    { path: ['messages'], msg: `A session stores at most ${maxBytes / 1_048_576} MiB of messages`, type: 'too_long' },
  ]);

/** A session that begins with messages of another one holds no more of them than a conversation. */
export const sessionTooLargeToFork = (max: { readonly messages: number; readonly bytes: number }): DomainError =>
  invalid([
    {
      path: ['message_id'],
      msg: `The messages up to this one should be at most ${max.messages} and ${max.bytes / 1_048_576} MiB`,
      type: 'too_long',
    },
  ]);

/** `indexes`: positions of the messages without a valid id in the request. */
export const messagesWithoutId = (indexes: readonly number[], maxLength: number): DomainError =>
  invalid(
    indexes.map((index) => ({
      path: ['messages', String(index), 'message_id'],
      msg: `Input should be a text of 1 to ${maxLength} characters`,
      type: 'value_error',
    })),
  );
