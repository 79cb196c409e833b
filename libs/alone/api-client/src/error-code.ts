import { RETRY_BY_CODE } from './generated/error-codes.js';

const TRANSIENT_STATUSES: ReadonlySet<number> = new Set([408, 429, 502, 503, 504]);

/** The `X-Error-Code` of an error response; `null` without one (an older server, a proxy). */
export function errorCodeOf(response: Response): string | null {
  return response.headers.get('x-error-code');
}

/**
 * Returns whether the same request may succeed later without a change, as the error catalogue states for the code. If
 * the code is missing or unknown to this version, the status decides.
 */
export function isTransient(status: number, code: string | null): boolean {
  return RETRY_BY_CODE.get(code ?? '') ?? TRANSIENT_STATUSES.has(status);
}
