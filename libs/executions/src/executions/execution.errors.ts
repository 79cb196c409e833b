import { conflict, invalid, notFound, type DomainError } from '@app/kernel';
import type { ExecutionStatus } from './execution-state.js';

export const executionNotFound = (): DomainError => notFound('Execution');

export const executionIdTaken = (id: string): DomainError =>
  conflict('execution_id_taken', `An execution with the id ${id} exists already`);

/** Another worker holds, or held, a newer lease; or the execution was ended by somebody else. */
export const leaseLost = (): DomainError =>
  conflict('lease_lost', 'The lease token is no longer the current one; nothing was written');

export const transitionRefused = (from: ExecutionStatus, to: ExecutionStatus): DomainError =>
  conflict('execution_transition_refused', `An execution that is ${from} can not become ${to}`);

export const executionFinished = (status: ExecutionStatus): DomainError =>
  conflict('execution_finished', `The execution is ${status} and takes no more messages`);

export const jobExecutionNotFound = (): DomainError => notFound('Job execution');
export const sessionNotFound = (): DomainError => notFound('Session');
export const taskNotFound = (): DomainError => notFound('Task');

export const sentTooMuch = (mostBytes: number): DomainError =>
  conflict(
    'execution_messages_too_large',
    `The messages sent to the execution hold ${mostBytes / 1_048_576} MiB or more: its worker has to store them first`,
  );

/** `field`: the one of the request that would be too many. */
export const tooManyMessages = (field: string, most: number): DomainError =>
  invalid([{ loc: ['body', field], msg: `A session should have at most ${most} messages`, type: 'too_long' }]);
