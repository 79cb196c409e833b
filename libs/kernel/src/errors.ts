/**
 * The one catalogue of what may fail in the domain. A code says which failure; its kind says how it is met. Each API
 * turns a kind into its own status and body (see the error filters), so no domain code knows HTTP.
 */
export type ErrorKind =
  /** The thing named does not exist for this caller. */
  | 'not_found'
  /** The request contradicts the present state. */
  | 'conflict'
  /** A value of the request is wrong; the faults say where. */
  | 'invalid'
  /** The caller may not do this. */
  | 'forbidden'
  /** The caller is unknown. */
  | 'unauthenticated'
  /** A part needed for the answer is away for now; the same request may pass later. */
  | 'unavailable';

/** One thing wrong with a request, in the specification's form. `loc` begins with body, query, path or header. */
export interface Fault {
  readonly loc: readonly string[];
  readonly msg: string;
  readonly type: FaultType;
}

/** The closed set of fault types a client can meet (documented in docs/guides/errors.md). */
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
] as const;
export type FaultType = (typeof FAULT_TYPES)[number];

/** A failure with a name. Each domain lists its own in `<thing>.errors.ts`. */
export class DomainError extends Error {
  constructor(
    readonly kind: ErrorKind,
    /** Stable, machine-readable, `<thing>_<what>`: `job_not_found`, `lease_lost`. */
    readonly code: string,
    message: string,
    readonly faults: readonly Fault[] = [],
  ) {
    super(message);
    this.name = 'DomainError';
  }
}

export function notFound(thing: string): DomainError {
  const code = `${thing.toLowerCase().replaceAll(' ', '_')}_not_found`;
  return new DomainError('not_found', code, `${thing} not found`);
}

export function conflict(code: string, message: string): DomainError {
  return new DomainError('conflict', code, message);
}

/** A store is away, and we noticed it ourselves. What a store's driver throws is recognised where errors are described. */
export function unavailable(code: string, message: string): DomainError {
  return new DomainError('unavailable', code, message);
}

/** The most faults that are told of one request: a body of many thousands must not make an answer many times its size. */
export const MAX_FAULTS = 1000;

/** A request refused for what it says; all faults at once, up to `MAX_FAULTS`. */
export function invalid(faults: readonly Fault[]): DomainError {
  const told = faults.slice(0, MAX_FAULTS);
  return new DomainError('invalid', 'request_invalid', told.map((fault) => fault.msg).join('; '), told);
}
