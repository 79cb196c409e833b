import { conflict, DomainError, notFound } from '@app/kernel';

export const workerQueueNotFound = (): DomainError => notFound('Worker queue');

export const workerQueueNameTaken = (name: string): DomainError =>
  conflict('worker_queue_name_taken', `The environment has a worker queue named ${name} already`);

export const workerQueueFull = (maxWorkers: number): DomainError =>
  conflict('worker_queue_full', `The worker queue has its ${maxWorkers} workers already (max_workers)`);

export const workerQueueHasWorkers = (): DomainError =>
  conflict('worker_queue_has_workers', 'Workers of this queue are still connected; disconnect them first');

export const workerQueueHasWork = (): DomainError =>
  conflict(
    'worker_queue_has_work',
    'The worker queue has executions that have not ended; let them end or cancel them first',
  );

/** Routing failures name what is missing, because they become the reason of a failed execution. */
export const noSuchQueue = (queue: string): DomainError =>
  new DomainError('not_found', 'worker_queue_not_found', `There is no worker queue ${queue}`);

export const ambiguousQueue = (queue: string): DomainError =>
  conflict('worker_queue_ambiguous', `Several environments have a worker queue ${queue}: give its id instead`);

export const noSuchEnvironment = (environment: string): DomainError =>
  new DomainError('not_found', 'environment_not_found', `There is no environment ${environment}`);

export const noActiveQueue = (where: string): DomainError =>
  conflict('no_active_worker_queue', `There is no active worker queue in ${where}`);
