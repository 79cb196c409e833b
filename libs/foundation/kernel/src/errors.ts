import { ERROR_CATALOGUE, type CodeOf, type DomainErrorCode, type ErrorKind } from './error-catalogue.js';

/**
 * A fault of a command. `path` is the path of the value in the command, such as `['scopes', '1']`; empty for the
 * command itself.
 */
export interface Fault {
  readonly path: readonly string[];
  /** The part of the request that contains the value, if it is always the same one. */
  readonly place?: 'path';
  readonly msg: string;
  readonly type: FaultType;
}

/** The closed set of fault types that clients receive (documented in docs/guides/errors.md). */
export const FAULT_TYPES = [
  'missing',
  'string_type',
  'string_too_short',
  'string_too_long',
  'string_pattern_mismatch',
  'int_type',
  'int_parsing',
  'float_type',
  'bool_type',
  'bool_parsing',
  'dict_type',
  'list_type',
  'too_long',
  'greater_than_equal',
  'less_than_equal',
  'enum',
  'uuid_parsing',
  'datetime_parsing',
  'value_error',
  'json_invalid',
  'extra_forbidden',
] as const;
export type FaultType = (typeof FAULT_TYPES)[number];

/** A failure of the catalogue. Each domain declares its own in `<name>.errors.ts`. */
export class DomainError extends Error {
  readonly kind: ErrorKind;

  constructor(
    readonly code: DomainErrorCode,
    message: string,
    readonly faults: readonly Fault[] = [],
    /** Milliseconds until the same request may succeed; undefined if unknown. */
    readonly retryAfterMs?: number,
  ) {
    super(message);
    this.name = 'DomainError';
    this.kind = ERROR_CATALOGUE[code].kind;
  }
}

export function notFound(code: CodeOf<'not_found'>, thing: string): DomainError {
  return new DomainError(code, `${thing} not found`);
}

export function keyMissing(): DomainError {
  return new DomainError('key_missing', 'No API key was sent: use the Authorization header');
}

export function conflict(code: CodeOf<'conflict'>, message: string): DomainError {
  return new DomainError(code, message);
}

/** Returns the error for a change of a resource of this kind that another change preceded. */
export function changedMeanwhile(kind: string): DomainError {
  return new DomainError('changed_meanwhile', `The ${kind} was changed meanwhile. Read it again and repeat the change`);
}

/**
 * Returns the error for a caller that sends too many requests. `retryAfterMs`: time until the same request may succeed.
 */
export function throttled(code: CodeOf<'throttled'>, message: string, retryAfterMs: number): DomainError {
  return new DomainError(code, message, [], retryAfterMs);
}

/**
 * Returns the error for a request that the platform cannot serve now, for example because our own code found a store
 * unreachable. libs/foundation/http recognizes the errors of the drivers.
 */
export function unavailable(code: CodeOf<'unavailable'>, message: string): DomainError {
  return new DomainError(code, message);
}

/** Maximum number of faults in one error: a body with many thousands must not cause a response many times its size. */
export const MAX_FAULTS = 1000;

/** Returns the error of a command with invalid values. It contains all faults, up to `MAX_FAULTS`. */
export function invalid(faults: readonly Fault[]): DomainError {
  const reported = faults.slice(0, MAX_FAULTS);
  return new DomainError('request_invalid', reported.map(({ msg }) => msg).join('; '), reported);
}

/** Returns the error of a command whose idempotency key was used with another `what`. */
export function idempotencyKeyReused(what: string): DomainError {
  const msg = `This Idempotency-Key was used with another ${what}`;
  return new DomainError('idempotency_key_reused', msg, [{ path: ['idempotency_key'], msg, type: 'value_error' }]);
}
