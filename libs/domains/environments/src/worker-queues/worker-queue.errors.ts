import { conflict, DomainError, notFound } from '@app/kernel';

export const workerQueueNotFound = (): DomainError => notFound('worker_queue_not_found', 'Worker queue');

export const workerQueueNameTaken = (name: string): DomainError =>
  conflict('worker_queue_name_taken', `The environment already has a worker queue named ${name}`);

export const workerQueueFull = (maxWorkers: number): DomainError =>
  conflict(
    'worker_queue_full',
    `The worker queue already has its maximum number of workers: ${maxWorkers} (max_workers)`,
  );

export const workerQueueHasWorkers = (workers: number): DomainError =>
  conflict('worker_queue_has_workers', `Connected workers of this queue: ${workers}; disconnect them first`);

export const workerQueueHasWork = (executions: number): DomainError =>
  conflict(
    'worker_queue_has_work',
    `Unfinished executions of the worker queue: ${executions}; wait for them or cancel them first`,
  );

export const workerQueueInUse = (name: string, places: string): DomainError =>
  conflict(
    'worker_queue_in_use',
    `The worker queue ${name} is used by: ${places}; choose another worker queue there first`,
  );

/** Routing errors name what is missing: their texts become the error messages of failed executions. */
export const noSuchQueue = (queue: string): DomainError =>
  new DomainError('worker_queue_not_found', `There is no worker queue ${queue}`);

export const ambiguousQueue = (queue: string): DomainError =>
  conflict('worker_queue_ambiguous', `Several environments have a worker queue ${queue}; use its id instead`);

export const noSuchEnvironment = (environment: string): DomainError =>
  new DomainError('environment_not_found', `There is no environment ${environment}`);

/** Maximum number of environment names in an error message; the rest is only counted. */
const MAX_NAMES = 10;

/** `allowed`: names of the environments that projects allow; `reason`: why none of their queues is used. */
export const queueNotAllowed = (reason: string, allowed: readonly string[]): DomainError => {
  const listed = [...allowed.slice(0, MAX_NAMES), ...(allowed.length > MAX_NAMES ? ['others'] : [])].join(', ');
  const where = allowed.length === 0 ? 'no existing environment' : `the environments ${listed} only: ${reason}`;
  return conflict('no_allowed_worker_queue', `Projects of the agent or team allow its runs in ${where}`);
};

/** `declared` are the runtimes of the live workers. */
export const noWorkerWithRuntime = (queue: string, runtime: string, declared: readonly string[]): DomainError => {
  const listed = [...declared.slice(0, MAX_NAMES), ...(declared.length > MAX_NAMES ? ['others'] : [])].join(', ');
  return conflict(
    'no_worker_with_runtime',
    `No live worker of the worker queue ${queue} has the runtime ${runtime}; they have: ${listed || 'none'}`,
  );
};

export const noActiveQueue = (where: string): DomainError =>
  conflict('no_active_worker_queue', `There is no active worker queue in ${where}`);
