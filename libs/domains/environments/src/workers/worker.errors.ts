import { conflict, notFound, type DomainError } from '@app/kernel';

export const workerNotFound = (): DomainError => notFound('worker_not_found', 'Worker');

/** Disconnection is final; the process registers as a new worker. */
export const workerDisconnected = (): DomainError =>
  conflict('worker_disconnected', 'The worker is disconnected; register again to get a new worker id');
