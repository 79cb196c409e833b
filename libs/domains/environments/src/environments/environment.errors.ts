import { conflict, notFound, type DomainError } from '@app/kernel';

export const environmentNotFound = (): DomainError => notFound('environment_not_found', 'Environment');

export const environmentNameTaken = (name: string): DomainError =>
  conflict('environment_name_taken', `An environment named ${name} already exists`);

export const environmentIsDefault = (): DomainError =>
  conflict('environment_is_default', 'The default environment cannot be deleted or renamed');

/** `queues`: names of some of its queues; `total`: number of all its queues. */
export function environmentHasQueues(queues: readonly string[], total: number): DomainError {
  const others = total > queues.length ? ` and ${total - queues.length} more` : '';
  const named = queues.join(', ') + others;
  return conflict('environment_has_queues', `The environment still has the worker queues ${named}; delete them first`);
}

export const environmentInUse = (name: string, places: string): DomainError =>
  conflict('environment_in_use', `The environment ${name} is used by: ${places}; remove it there first`);
