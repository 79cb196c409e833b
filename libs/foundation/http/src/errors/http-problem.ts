import { HTTP_ERRORS, type HttpErrorCode } from './error-codes.js';

/** A failure of the request itself, which no domain reports. */
export class HttpProblem extends Error {
  readonly status: number;

  constructor(
    readonly code: HttpErrorCode,
    message: string,
    /** Milliseconds until the same request may succeed; undefined if unknown. */
    readonly retryAfterMs?: number,
  ) {
    super(message);
    this.name = 'HttpProblem';
    this.status = HTTP_ERRORS[code].status;
  }
}
