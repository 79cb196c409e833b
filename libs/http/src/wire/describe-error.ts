import { driverErrorOf } from '@app/database';
import { DomainError, type ErrorKind, type Fault } from '@app/kernel';
import { HttpException } from '@nestjs/common';
import { WireProblem } from './wire-problem.js';

/** A failure in the terms of HTTP, from which each API makes its own body. */
export interface DescribedError {
  readonly status: number;
  readonly code: string;
  readonly message: string;
  readonly faults: readonly Fault[];
  readonly headers: Readonly<Record<string, string>>;
  /** A defect of ours: logged in full, told to nobody. */
  readonly unexpected: boolean;
}

const STATUS: Record<ErrorKind, number> = {
  not_found: 404,
  conflict: 409,
  invalid: 422,
  forbidden: 403,
  unauthenticated: 401,
  unavailable: 503,
};

/** Seconds. Stores that are away are looked for all the time. */
const TRY_AGAIN = { 'Retry-After': '1' };

export function describeError(error: unknown): DescribedError {
  if (error instanceof DomainError) return describeDomainError(error);
  if (error instanceof WireProblem) return described(error.status, 'wire_problem', error.message, {});
  if (error instanceof HttpException) return describeHttpException(error);
  const parserStatus = bodyReaderStatus(error);
  if (parserStatus !== undefined) return parserStatus;
  if (sqlStateOf(error) === TOO_LONG_FOR_INDEX) return tooLong();
  if (sqlStateOf(error) === CANCELLED) {
    return described(503, 'unavailable', 'The request took a store too long, try again', TRY_AGAIN);
  }
  if (isUnavailable(error)) {
    return described(503, 'unavailable', 'A store is not reachable at the moment, try again', TRY_AGAIN);
  }
  return { ...described(500, 'internal_error', 'Internal server error', {}), unexpected: true };
}

function describeDomainError(error: DomainError): DescribedError {
  const headers = error.kind === 'unavailable' ? TRY_AGAIN : {};
  return { ...described(STATUS[error.kind], error.code, error.message, headers), faults: error.faults };
}

function describeHttpException(error: HttpException): DescribedError {
  const status = error.getStatus();
  const ours = FRAMEWORK_MESSAGES[status];
  return described(status, status === 404 ? 'not_found' : 'http_error', ours ?? error.message, {});
}

/** The framework hands on what its body reader says, in words that differ from ours and from version to version. */
const FRAMEWORK_MESSAGES: Readonly<Record<number, string>> = {
  400: 'Bad request',
  404: 'Not Found',
  413: 'The body is too large',
  415: 'Unsupported Content-Encoding',
};

function described(
  status: number,
  code: string,
  message: string,
  headers: Readonly<Record<string, string>>,
): DescribedError {
  return { status, code, message, faults: [], headers, unexpected: false };
}

/** Errors of the body reader carry a `type`; its own messages are kept out of the answer. */
function bodyReaderStatus(error: unknown): DescribedError | undefined {
  const type = (error as { type?: unknown } | null)?.type;
  if (type === 'entity.too.large') return described(413, 'payload_too_large', 'The body is too large', {});
  if (type === 'encoding.unsupported')
    return described(415, 'unsupported_encoding', 'Unsupported Content-Encoding', {});
  if (type === 'request.aborted' || type === 'request.size.invalid')
    return described(400, 'bad_request', 'The body ended early', {});
  return (error as { status?: unknown } | null)?.status === 400
    ? described(400, 'bad_request', 'Bad request', {})
    : undefined;
}

/** Connections that fail, and class 53: no memory, no room on the disk, no connection left. */
const STORE_FAILURES = /^(08|53|57P0[123])/;
const NETWORK_CODES = new Set(['ECONNREFUSED', 'ECONNRESET', 'ETIMEDOUT', 'EPIPE', 'ENOTFOUND']);
const REDIS_AWAY = /MaxRetriesPerRequest|Connection is closed|Command timed out|ClusterAllFailed/;
/** What Redis answers, also from within a script, where its memory or its disk is full. */
const REDIS_FULL = /^(ERR .*: )?-?(OOM|MISCONF) /s;

/** program_limit_exceeded: a text beyond what a row of an index holds (some 2,700 bytes). */
const TOO_LONG_FOR_INDEX = '54000';

/** query_canceled: a statement ran into the time that each has (`DATABASE_STATEMENT_TIMEOUT_MS`). */
const CANCELLED = '57014';

/** Fields that are looked up have a length of their own; this is for values that reach an index by another way. */
function tooLong(): DescribedError {
  const msg = 'A name or reference in the request is too long';
  return { ...described(422, 'request_invalid', msg, {}), faults: [{ loc: ['body'], msg, type: 'string_too_long' }] };
}

function sqlStateOf(error: unknown): string | undefined {
  return (driverErrorOf(error) as { code?: string } | null | undefined)?.code;
}

function isUnavailable(error: unknown): boolean {
  const cause = driverErrorOf(error);
  if (!(cause instanceof Error)) return false;
  const code = sqlStateOf(error) ?? '';
  return (
    STORE_FAILURES.test(code) ||
    NETWORK_CODES.has(code) ||
    REDIS_AWAY.test(`${cause.name} ${cause.message}`) ||
    REDIS_FULL.test(cause.message) ||
    /connection terminated|timeout exceeded when trying to connect/i.test(cause.message)
  );
}
