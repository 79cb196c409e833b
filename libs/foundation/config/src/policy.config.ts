import { EnvVar } from './env-var.js';
import { address, headerSecret, integer } from './parsers.js';

/** Budgets of policy evaluation, and retention of decisions. */
export class PolicyConfig {
  @EnvVar('POLICY_MAX_STEPS', integer({ min: 1000, max: 100_000_000 }), {
    default: 1_000_000,
    doc: 'Maximum number of steps per policy evaluation (a million steps take about 30 ms). Beyond it the policy denies.',
  })
  readonly maxSteps!: number;

  @EnvVar('POLICY_MAX_MS', integer({ min: 1, max: 10_000 }), {
    default: 100,
    doc: 'Time limit per policy evaluation in milliseconds. Beyond it the policy denies.',
  })
  readonly maxMs!: number;

  @EnvVar('POLICY_MAX_TOTAL_MS', integer({ min: 1, max: 60_000 }), {
    default: 250,
    doc: 'Time limit for all policies of one decision in milliseconds. Policies beyond it deny.',
  })
  readonly maxTotalMs!: number;

  @EnvVar('POLICY_MAX_COMPILE_MS', integer({ min: 1, max: 60_000 }), {
    default: 500,
    doc: 'Time limit for compiling policies in one decision in milliseconds. Each version is compiled once per thread. Policies beyond it deny.',
  })
  readonly maxCompileMs!: number;

  @EnvVar('POLICY_MAX_DEPTH', integer({ min: 16, max: 500 }), {
    default: 200,
    doc: 'Maximum call depth of rules and functions in a policy.',
  })
  readonly maxDepth!: number;

  @EnvVar('POLICY_MAX_MEMORY_MB', integer({ min: 1, max: 1024 }), {
    default: 32,
    doc: 'Memory limit for the values of one policy evaluation in megabytes.',
  })
  readonly maxMemoryMb!: number;

  @EnvVar('POLICY_THREADS', integer({ min: 1, max: 64 }), {
    default: 2,
    doc: 'Number of threads per process that compile and evaluate policies. If there are several, one is reserved: neither a single organization, nor all organizations with slow evaluations together, can use all of them.',
  })
  readonly threads!: number;

  @EnvVar('POLICY_THREAD_MEMORY_MB', integer({ min: 64, max: 4096 }), {
    default: 256,
    doc: 'Heap limit of a policy thread in megabytes. Beyond it the decision is denied and the thread is replaced.',
  })
  readonly threadMemoryMb!: number;

  @EnvVar('POLICY_QUEUE_LENGTH', integer({ min: 1, max: 100_000 }), {
    default: 1000,
    doc: 'Maximum number of evaluations that wait for a policy thread in a process. Beyond it, requests of the organization with the most waiting evaluations fail with 503.',
  })
  readonly queueLength!: number;

  @EnvVar('POLICY_DECISION_INPUT_BYTES', integer({ min: 0, max: 10_485_760 }), {
    default: 65_536,
    doc: 'Maximum size of a stored decision input in bytes of JSON. Of a larger input only the digest is stored.',
  })
  readonly decisionInputBytes!: number;

  @EnvVar('POLICY_DECISION_DAYS', integer({ min: 0, max: 3650 }), {
    default: 90,
    doc: 'Retention of decisions in days. Whole weeks are deleted, so the oldest decisions are up to a week older. 0 keeps them forever.',
  })
  readonly decisionDays!: number;
}

export class OpaConfig {
  @EnvVar('OPA_URL', address(['http', 'https']), {
    default: null,
    doc: 'URL of an OPA server (1.0 or later) that evaluates policies instead of the platform.',
  })
  readonly url!: string | null;

  @EnvVar('OPA_TOKEN', headerSecret(), { default: null, doc: 'Bearer token of the OPA server.' })
  readonly token!: string | null;
}
