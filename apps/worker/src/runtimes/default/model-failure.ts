import { APICallError, RetryError } from 'ai';
import { networkReason } from '../../network-reason.js';

/** What went wrong with a request to the model, in words for the execution's reader. */
export function describeModelFailure(error: unknown): string {
  const cause = RetryError.isInstance(error) ? error.lastError : error;
  if (APICallError.isInstance(cause)) {
    if (cause.statusCode === undefined) return `The model gateway cannot be reached: ${networkReason(cause)}`;
    // The answer began well, then something came in between.
    if (cause.statusCode < 400) return `The connection to the model gateway broke: ${networkReason(cause)}`;
    return `The model gateway answered ${cause.statusCode}: ${cause.message}`;
  }
  return `The connection to the model gateway broke: ${networkReason(cause)}`;
}
