import { driverErrorOf, isStoreUnavailable } from '@app/database';
import { DomainError } from '@app/kernel';
import { HttpException } from '@nestjs/common';
import { HTTP_ERRORS, mayBeRetried, STATUS_OF_KIND, type ErrorCode, type HttpErrorCode } from './error-codes.js';
import { HttpProblem } from './http-problem.js';
import { InvalidRequest, locateFaults, type LocatedFault } from './invalid-request.js';

/** A failure in terms of HTTP; each API builds its own body from it. */
export interface DescribedError {
  readonly status: number;
  /** The value of `X-Error-Code`. */
  readonly code: ErrorCode;
  readonly message: string;
  readonly faults: readonly LocatedFault[];
  readonly headers: Readonly<Record<string, string>>;
  /** Whether the error is a defect, which is logged in full and not shown to the client. */
  readonly unexpected: boolean;
}

/** Default delay before a retry. Short, because lost connections to the stores are re-established at once. */
const RETRY_AFTER_MS = 1000;
const RETRYABLE = new Set([429, 503]);

/** Describes any thrown value; `method` is that of the request, undefined if the request could not be read. */
export function describeError(error: unknown, method: string | undefined): DescribedError {
  if (error instanceof DomainError) {
    const { kind, code, message, faults, retryAfterMs } = error;
    return described(STATUS_OF_KIND[kind], code, message, { faults: locateFaults(faults, method), retryAfterMs });
  }
  if (error instanceof InvalidRequest) {
    return described(422, 'request_invalid', error.message, { faults: error.faults });
  }
  if (error instanceof HttpProblem) return described(error.status, error.code, error.message, error);
  if (error instanceof HttpException) return describeHttpException(error);
  return describeBodyParserError(error) ?? describeStoreError(error) ?? unexpected();
}

function described(
  status: number,
  code: ErrorCode,
  message: string,
  { faults = [], retryAfterMs }: { faults?: readonly LocatedFault[]; retryAfterMs?: number | undefined } = {},
): DescribedError {
  const headers = RETRYABLE.has(status) && mayBeRetried(code) ? { 'Retry-After': retryAfter(retryAfterMs) } : {};
  return { status, code, message, faults, headers, unexpected: false };
}

/** Returns whole seconds, rounded up, so that a retry after this time is not too early. */
function retryAfter(milliseconds = RETRY_AFTER_MS): string {
  return String(Math.max(1, Math.ceil(milliseconds / 1000)));
}

function problem(code: HttpErrorCode, message: string): DescribedError {
  return described(HTTP_ERRORS[code].status, code, message);
}

function unexpected(): DescribedError {
  return { ...problem('internal_error', 'Internal server error'), unexpected: true };
}

/** Replaces the messages of the framework's router and body parser, which change between versions. */
function describeHttpException(error: HttpException): DescribedError {
  const status = error.getStatus();
  const known = FRAMEWORK_PROBLEMS[status];
  if (known !== undefined) return known;
  return status < 500 ? described(status, FRAMEWORK_CODES[status] ?? 'malformed_request', error.message) : unexpected();
}

/** Codes of rejections by guards of the framework, such as a throttler, whose messages are kept. */
const FRAMEWORK_CODES: Readonly<Record<number, HttpErrorCode>> = { 403: 'forbidden', 429: 'rate_limited' };

const PAYLOAD_TOO_LARGE = problem('payload_too_large', 'The body is too large');
const UNSUPPORTED_ENCODING = problem('unsupported_content_encoding', 'Unsupported Content-Encoding');
const BAD_REQUEST = problem('malformed_request', 'Bad request');

const FRAMEWORK_PROBLEMS: Readonly<Record<number, DescribedError>> = {
  400: BAD_REQUEST,
  404: problem('route_not_found', 'Not Found'),
  413: PAYLOAD_TOO_LARGE,
  415: UNSUPPORTED_ENCODING,
};

/** Errors of Express have a status; those of its body parser also have a `type`. */
function describeBodyParserError(error: unknown): DescribedError | undefined {
  const { type, status } = (error ?? {}) as { readonly type?: unknown; readonly status?: unknown };
  if (type === 'entity.too.large') return PAYLOAD_TOO_LARGE;
  if (type === 'encoding.unsupported') return UNSUPPORTED_ENCODING;
  if (type === 'request.aborted' || type === 'request.size.invalid') {
    return problem('body_incomplete', 'The body ended early');
  }
  return status === 400 ? BAD_REQUEST : undefined;
}

function describeStoreError(error: unknown): DescribedError | undefined {
  if (sqlStateOf(error) === TOO_LONG_FOR_INDEX) return tooLong();
  if (BLOCKED.has(sqlStateOf(error) ?? '')) {
    return problem('store_timeout', 'PostgreSQL took too long for the request, try again');
  }
  if (isStoreUnavailable(error))
    return problem('store_unavailable', 'PostgreSQL or Redis is not available at the moment, try again');
  return undefined;
}

/** program_limit_exceeded: a text longer than an index row can hold (about 2,700 bytes). */
const TOO_LONG_FOR_INDEX = '54000';

/**
 * A statement exceeded a time limit (57014), a lock was not available (55P03, 55006), a transaction waited for its client
 * or ran too long (25P03, 25P04), or a write collided with others twice (40001, 40P01; `Database` retries it once).
 */
const BLOCKED = new Set(['57014', '55P03', '55006', '25P03', '25P04', '40001', '40P01']);

/**
 * Describes the error of a value that is too long for an index. Indexed fields have a maximum length, but longer values
 * can reach an index in other ways.
 */
function tooLong(): DescribedError {
  const msg = 'A name or reference in the request is too long';
  return described(422, 'request_invalid', msg, { faults: [{ loc: ['body'], msg, type: 'string_too_long' }] });
}

function sqlStateOf(error: unknown): string | undefined {
  return (driverErrorOf(error) as { code?: string } | null | undefined)?.code;
}
