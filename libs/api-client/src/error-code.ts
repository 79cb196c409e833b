import { RETRY_BY_CODE } from './generated/error-codes.js';

const TRANSIENT_STATUSES: ReadonlySet<number> = new Set([408, 429, 502, 503, 504]);

/** The `X-Error-Code` of an error response; `null` without one (an older server, a proxy). */
export function errorCodeOf(response: Response): string | null {
  return response.headers.get('x-error-code');
}

/**
 * Whether the same request may succeed later although its sender changes nothing: what the error catalogue states for the
 * code. Without a code, or with one that this version does not know, the status decides.
 */
export function isTransient(status: number, code: string | null): boolean {
  return RETRY_BY_CODE.get(code ?? '') ?? TRANSIENT_STATUSES.has(status);
}
