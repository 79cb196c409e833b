import { EnvVar } from './env-var.js';
import { address, headerSecret, integer } from './parsers.js';

/** What deciding by policies may cost, and what is kept of it. */
export class PolicyConfig {
  @EnvVar('POLICY_MAX_STEPS', integer({ min: 1000, max: 100_000_000 }), {
    default: 1_000_000,
    doc: 'Steps one evaluation of a policy may take; a million are some 30 ms. One that takes more denies.',
  })
  readonly maxSteps!: number;

  @EnvVar('POLICY_MAX_MS', integer({ min: 1, max: 10_000 }), {
    default: 100,
    doc: 'Milliseconds one evaluation of a policy may take. One that takes more denies.',
  })
  readonly maxMs!: number;

  @EnvVar('POLICY_MAX_TOTAL_MS', integer({ min: 1, max: 60_000 }), {
    default: 250,
    doc: 'Milliseconds all policies of one decision may take together. Those that come too late for it deny.',
  })
  readonly maxTotalMs!: number;

  @EnvVar('POLICY_MAX_COMPILE_MS', integer({ min: 1, max: 60_000 }), {
    default: 500,
    doc: 'Milliseconds compiling policies may take in one decision; it happens once per version and process. Those whose turn comes later deny.',
  })
  readonly maxCompileMs!: number;

  @EnvVar('POLICY_MAX_DEPTH', integer({ min: 16, max: 500 }), {
    default: 200,
    doc: 'How deeply the rules and functions of a policy may call each other.',
  })
  readonly maxDepth!: number;

  @EnvVar('POLICY_MAX_MEMORY_MB', integer({ min: 1, max: 1024 }), {
    default: 32,
    doc: 'Megabytes of values one evaluation of a policy may make.',
  })
  readonly maxMemoryMb!: number;

  @EnvVar('POLICY_DECISION_INPUT_BYTES', integer({ min: 0, max: 10_485_760 }), {
    default: 65_536,
    doc: 'Largest input, in bytes of JSON, that is kept with a decision. Of a larger one only the digest is kept.',
  })
  readonly decisionInputBytes!: number;

  @EnvVar('POLICY_DECISION_DAYS', integer({ min: 1, max: 3650 }), {
    default: 90,
    doc: 'Days decisions are kept. They go by whole weeks, so that the oldest are up to a week older.',
  })
  readonly decisionDays!: number;
}

export class OpaConfig {
  @EnvVar('OPA_URL', address(['http', 'https']), {
    default: null,
    doc: 'An OPA server (1.0 or later) that evaluates policies instead of the platform itself.',
  })
  readonly url!: string | null;

  @EnvVar('OPA_TOKEN', headerSecret(), { default: null, doc: 'Bearer token for the OPA server.' })
  readonly token!: string | null;
}
