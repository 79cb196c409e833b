import { conflict, notFound, type DomainError } from '@app/kernel';

export const environmentNotFound = (): DomainError => notFound('environment_not_found', 'Environment');

export const environmentNameTaken = (name: string): DomainError =>
  conflict('environment_name_taken', `An environment named ${name} already exists`);

export const environmentIsDefault = (): DomainError =>
  conflict('environment_is_default', 'The default environment cannot be deleted or renamed');

export const environmentHasQueues = (): DomainError =>
  conflict('environment_has_queues', 'The environment still has worker queues; delete them first');
