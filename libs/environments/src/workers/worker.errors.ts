import { conflict, notFound, type DomainError } from '@app/kernel';

export const workerNotFound = (): DomainError => notFound('Worker');

/** A disconnected worker stays so; the process starts again and is a new worker. */
export const workerDisconnected = (): DomainError =>
  conflict('worker_disconnected', 'The worker is disconnected; start it again to get a new worker id');
