import { isJsonObject, nearestDouble, type Fault, type JsonObject } from '@app/kernel';

/**
 * Why an attempt ended without a result. `failed`: reported by its worker. `timeout`: it ran longer than its time
 * limit. `lost`: its worker stopped responding or crashed.
 */
const RETRY_CAUSES = ['failed', 'timeout', 'lost'] as const;
export type RetryCause = (typeof RETRY_CAUSES)[number];

/** Which failures are retried, and when. */
export interface RetryPolicy {
  readonly max_attempts: number;
  readonly retry_on: readonly RetryCause[];
  /** Milliseconds from a failure of the first attempt to the second attempt. A lost attempt is repeated at once. */
  readonly retry_delay_ms: number;
  /** Factor between one delay and the next. */
  readonly retry_factor: number;
}

/** The keys of a configuration that limit its runs. */
export const RUN_LIMIT_KEYS = {
  timeout_seconds: true,
  retry_policy: { max_attempts: true, retry_on: true, backoff: { type: true, delay_seconds: true } },
} as const;

const BACKOFF_FACTORS = { fixed: 1, exponential: 2 } as const;
const BACKOFF_TYPES = Object.keys(BACKOFF_FACTORS);

const DEFAULT_ATTEMPTS = 3;
const MAX_ATTEMPTS = 100;
const DEFAULT_DELAY_SECONDS = 5;
/** A day. Also the maximum of an exponential delay. */
const MAX_DELAY_SECONDS = 86_400;
export const MAX_DELAY_MS = 1000 * MAX_DELAY_SECONDS;

export const DEFAULT_TIMEOUT_MS = 3_600_000;
/** 24 days: the longest timer of a Node.js process. */
const MAX_TIMEOUT_SECONDS = 2_147_483;

/** Returns `config.retry_policy` as it is stored. Absent or invalid settings have their defaults. */
export function retryPolicyOf(config: JsonObject): RetryPolicy {
  const policy = objectOf(config['retry_policy']);
  const backoff = objectOf(policy['backoff']);
  const { max_attempts: attempts, retry_on: causes } = policy;
  const { type, delay_seconds: seconds } = backoff;
  return {
    max_attempts: isPositiveInteger(attempts) ? Math.min(attempts, MAX_ATTEMPTS) : DEFAULT_ATTEMPTS,
    retry_on: isCauses(causes) ? [...new Set(causes)] : ['lost'],
    retry_delay_ms: Math.round(1000 * (isDelay(seconds) ? seconds : DEFAULT_DELAY_SECONDS)),
    retry_factor: type === 'fixed' ? BACKOFF_FACTORS.fixed : BACKOFF_FACTORS.exponential,
  };
}

/**
 * Returns `timeout_seconds` of the configuration of a job or a runnable, in milliseconds; null if absent or not valid.
 */
export function timeoutMsOf(config: JsonObject): number | null {
  const seconds = nearestDouble(config['timeout_seconds']);
  return isTimeout(seconds) ? Math.max(1, Math.round(1000 * seconds)) : null;
}

/**
 * Returns the faults of `timeout_seconds` and `retry_policy` in a configuration. `field`: the request field that
 * contains the configuration.
 */
export function runLimitFaults(config: unknown, field: string): Fault[] {
  if (!isJsonObject(config)) return [];
  const { timeout_seconds: timeout, retry_policy: policy } = config;
  const range = `Input should be a number greater than 0 and at most ${MAX_TIMEOUT_SECONDS}`;
  const faults: Fault[] = faultUnless(isTimeout, timeout, 'timeout_seconds', range, 'value_error');
  faults.push(...retryPolicyFaults(policy));
  return faults.map((fault) => ({ ...fault, path: [field, ...fault.path] }));
}

function retryPolicyFaults(policy: unknown): Fault[] {
  if (policy == null) return [];
  if (!isJsonObject(policy)) return [objectFault('retry_policy')];
  const { max_attempts: attempts, retry_on: causes, backoff } = policy;
  const faults = [
    ...faultUnless(isAttempts, attempts, 'max_attempts', `Input should be a whole number from 1 to ${MAX_ATTEMPTS}`),
    ...faultUnless(isCauses, causes, 'retry_on', "Input should be a list of 'failed', 'timeout' and 'lost'", 'enum'),
    ...backoffFaults(backoff),
  ];
  return faults.map((fault) => ({ ...fault, path: ['retry_policy', ...fault.path] }));
}

function backoffFaults(backoff: unknown): Fault[] {
  if (backoff == null) return [];
  if (!isJsonObject(backoff)) return [objectFault('backoff')];
  const { type, delay_seconds: seconds } = backoff;
  const faults = [
    ...faultUnless(isBackoffType, type, 'type', "Input should be 'fixed' or 'exponential'", 'enum'),
    ...faultUnless(isDelay, seconds, 'delay_seconds', `Input should be a number from 0 to ${MAX_DELAY_SECONDS}`),
  ];
  return faults.map((fault) => ({ ...fault, path: ['backoff', ...fault.path] }));
}

function faultUnless(
  isValid: (value: unknown) => boolean,
  value: unknown,
  field: string,
  msg: string,
  type: Fault['type'] = 'value_error',
): Fault[] {
  return value == null || isValid(value) ? [] : [{ path: [field], msg, type }];
}

function objectFault(field: string): Fault {
  return { path: [field], msg: 'Input should be a valid object', type: 'dict_type' };
}

function objectOf(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {};
}

function isPositiveInteger(value: unknown): value is number {
  return Number.isInteger(value) && Number(value) >= 1;
}

function isAttempts(value: unknown): boolean {
  return isPositiveInteger(value) && value <= MAX_ATTEMPTS;
}

function isCauses(value: unknown): value is RetryCause[] {
  return Array.isArray(value) && value.every((cause) => RETRY_CAUSES.some((known) => known === cause));
}

function isBackoffType(value: unknown): boolean {
  return typeof value === 'string' && BACKOFF_TYPES.includes(value);
}

function isDelay(value: unknown): value is number {
  return typeof value === 'number' && value >= 0 && value <= MAX_DELAY_SECONDS;
}

function isTimeout(value: unknown): value is number {
  return typeof value === 'number' && value > 0 && value <= MAX_TIMEOUT_SECONDS;
}
