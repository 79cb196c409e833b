import { isStillRunning } from '@app/api-client';

/**
 * How a worker meets a failed call:
 * - `unavailable`: network failure, 408, 429, 502, 503, 504, or a 409 that says the first try of the same request still
 *   runs — the same request may pass later;
 * - `broken`: another 5xx — worth a few more tries;
 * - `gone`: 404, any other 409, 410 — the lease, the execution or the worker is no longer ours;
 * - `forbidden`: 401, 403 — the key does not do;
 * - `refused`: any other answer — the request itself is wrong.
 */
export type FailureKind = 'unavailable' | 'broken' | 'gone' | 'forbidden' | 'refused';

export class ControlPlaneError extends Error {
  override readonly name = 'ControlPlaneError';

  constructor(
    readonly kind: FailureKind,
    message: string,
    /** What the control plane asked to wait, in milliseconds. */
    readonly retryAfterMs: number | null = null,
    readonly requestId: string | null = null,
  ) {
    super(message);
  }
}

export function failureKind(status: number, detail: string): FailureKind {
  if (isStillRunning(status, detail)) return 'unavailable';
  if ([408, 429, 502, 503, 504].includes(status)) return 'unavailable';
  if (status >= 500) return 'broken';
  if ([404, 409, 410].includes(status)) return 'gone';
  return status === 401 || status === 403 ? 'forbidden' : 'refused';
}

export function isFailure(error: unknown, kind: FailureKind): error is ControlPlaneError {
  return error instanceof ControlPlaneError && error.kind === kind;
}
