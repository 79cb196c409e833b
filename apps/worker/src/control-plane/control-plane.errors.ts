import { isTransient } from '@app/api-client';

/**
 * How the worker handles a failed call:
 * - `unavailable`: a network failure, or a response that the error catalogue marks as transient: retried without limit;
 * - `broken`: another 5xx: retried a few times;
 * - `gone`: 404, 409, 410: the lease, the execution or the worker no longer belongs to this process;
 * - `forbidden`: 401, 403: the key lacks the permission;
 * - `refused`: every other response; the request is invalid.
 */
export type ControlPlaneFailureKind = 'unavailable' | 'broken' | 'gone' | 'forbidden' | 'refused';

export class ControlPlaneError extends Error {
  override readonly name = 'ControlPlaneError';

  constructor(
    readonly kind: ControlPlaneFailureKind,
    message: string,
    /** The `Retry-After` of the response, in milliseconds. */
    readonly retryAfterMs: number | null = null,
    readonly requestId: string | null = null,
    /** The message of the response, with its `X-Error-Code`; null without a response. */
    readonly problem: { readonly code: string | null; readonly detail: string } | null = null,
  ) {
    super(message);
  }
}

/** The kind of an error response, by its status and its `X-Error-Code`. */
export function failureKind(status: number, code: string | null): ControlPlaneFailureKind {
  if (isTransient(status, code)) return 'unavailable';
  if (status >= 500) return 'broken';
  if ([404, 409, 410].includes(status)) return 'gone';
  return status === 401 || status === 403 ? 'forbidden' : 'refused';
}

export function isFailure(error: unknown, kind: ControlPlaneFailureKind): error is ControlPlaneError {
  return error instanceof ControlPlaneError && error.kind === kind;
}
