import { EnvVar, headerSecret, integer, origin, text } from '@app/config';

/** The settings of a worker process. */
export class WorkerConfig {
  @EnvVar('CONTROL_PLANE_URL', origin(['http', 'https']), {
    doc: 'Base URL of the control plane that a worker connects to.',
  })
  readonly controlPlaneUrl!: string;

  @EnvVar('WORKER_API_KEY', headerSecret(), {
    doc: 'API key of a worker, with the scopes runners:manage and tasks:execute.',
  })
  readonly apiKey!: string;

  @EnvVar('WORKER_QUEUE', text(), {
    default: 'default',
    doc: 'Id or name of the worker queue from which a worker takes executions.',
  })
  readonly queue!: string;

  @EnvVar('WORKER_ENVIRONMENT', text(), {
    default: 'default',
    doc: 'Environment in which the name of the worker queue is looked up.',
  })
  readonly environment!: string;

  @EnvVar('WORKER_RUNNER', text(), {
    default: null,
    doc: 'Name of the runner that the worker belongs to, for example of its machine; created if there is none.',
  })
  readonly runner!: string | null;

  @EnvVar('WORKER_CONCURRENCY', integer({ min: 1, max: 256 }), {
    default: 4,
    doc: 'Maximum number of executions that a worker runs at the same time.',
  })
  readonly concurrency!: number;

  @EnvVar('WORKER_POLL_WAIT_SECONDS', integer({ min: 1, max: 30 }), {
    default: 20,
    doc: 'Longest time that one poll for executions stays open, in seconds.',
  })
  readonly pollWaitSeconds!: number;

  @EnvVar('WORKER_SHUTDOWN_GRACE_MS', integer({ min: 0, max: 3_600_000 }), {
    default: 10_000,
    doc: 'How long a stopping worker lets running executions finish before it releases their leases, in milliseconds.',
  })
  readonly shutdownGraceMs!: number;

  @EnvVar('MODEL_RETRIES', integer({ min: 0, max: 100 }), {
    default: 6,
    doc: 'How often a worker repeats a request to the model gateway that failed before its response began.',
  })
  readonly modelRetries!: number;

  @EnvVar('MODEL_RETRY_MAX_DELAY_MS', integer({ min: 1, max: 600_000 }), {
    default: 10_000,
    doc: 'Longest delay between two attempts of a request to the model gateway, in milliseconds; the first is at most 1000.',
  })
  readonly modelRetryMaxDelayMs!: number;
}
