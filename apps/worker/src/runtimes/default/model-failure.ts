import { APICallError, RetryError } from 'ai';
import { networkReason } from '../../network-reason.js';

/** Describes a failed request to the model for the execution's error message. */
export function describeModelFailure(error: unknown): string {
  const cause = RetryError.isInstance(error) ? error.lastError : error;
  if (APICallError.isInstance(cause)) {
    if (cause.statusCode === undefined) return `The model gateway cannot be reached: ${networkReason(cause)}`;
    // A successful status: the response broke off later.
    if (cause.statusCode < 400) return `The connection to the model gateway broke: ${networkReason(cause)}`;
    return `The model gateway responded with ${cause.statusCode}: ${cause.message}`;
  }
  return `The connection to the model gateway broke: ${networkReason(cause)}`;
}
