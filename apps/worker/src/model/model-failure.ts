import { headOf, isJsonObject } from '@app/kernel';
import { APICallError, JSONParseError, RetryError, TypeValidationError } from 'ai';
import { networkReason } from '../errors/network-reason.js';
import { tooLargeBehind } from '../bounded-fetch.js';

/** Longer messages of the model gateway are cut. */
const MAX_MESSAGE_LENGTH = 500;

/**
 * Describes a failed request to the model for the execution's error message. Of what the gateway sent, it repeats only
 * the `message` of an OpenAI-compatible error: the operator configures the gateway, and users need to know that a model
 * does not exist or a prompt is too long. Other bodies are not repeated.
 */
export function describeModelFailure(error: unknown): string {
  const cause = RetryError.isInstance(error) ? error.lastError : error;
  const tooLarge = tooLargeBehind(cause);
  if (tooLarge !== null) return `The model gateway answered without end: ${tooLarge.message}`;
  // An error that the gateway reports within the stream.
  if (isJsonObject(cause) && typeof cause['message'] === 'string' && !(cause instanceof Error)) {
    return `The model gateway reported: ${cut(cause['message'])}`;
  }
  if (APICallError.isInstance(cause) && cause.statusCode === undefined) {
    return `The model gateway cannot be reached: ${networkReason(cause)}`;
  }
  if (APICallError.isInstance(cause) && (cause.statusCode ?? 0) >= 400) {
    return `The model gateway responded with ${cause.statusCode}: ${cut(cause.message)}`;
  }
  // The status was successful, but the response was invalid or incomplete.
  if (containsBody(cause)) return 'The response of the model gateway is not a chat completion';
  return `The connection to the model gateway broke: ${networkReason(cause)}`;
}

/**
 * Returns whether the content of a response was rejected: the message of such an error contains what the gateway sent.
 */
function containsBody(error: unknown): boolean {
  if (!(error instanceof Error)) return true;
  if (error instanceof SyntaxError || JSONParseError.isInstance(error) || TypeValidationError.isInstance(error))
    return true;
  return error.cause !== undefined && containsBody(error.cause);
}

function cut(message: string): string {
  return message.length <= MAX_MESSAGE_LENGTH ? message : `${headOf(message, MAX_MESSAGE_LENGTH)}…`;
}
