import type { AuthInfo } from '@modelcontextprotocol/server';
import { CallFault } from './call-fault.js';

/** Whom a call acts for. */
export interface CallIdentity {
  readonly apiKey: string;
  /** The subject of the caller's token; null without a token. */
  readonly subject: string | null;
}

/**
 * Returns the identity of a call. Throws a CallFault if there is no key.
 *
 * @param parameter the `api_key` argument of the call
 */
export type IdentityOf = (parameter: string | undefined, authInfo: AuthInfo | undefined) => CallIdentity;

/** Returns a key that can be sent. Throws a CallFault otherwise: the error of the failed request would contain the key. */
export function checkedKey(apiKey: string): string {
  if (/^[\x21-\x7e]+$/.test(apiKey)) return apiKey;
  throw new CallFault(
    'Invalid token: the API key contains a character that no key has, such as a space or a line break.',
  );
}

/** Simple mode: the key is the `api_key` argument of the call, otherwise the key of the server. */
export function simpleMode(serviceKey: string | null): IdentityOf {
  return (parameter) => {
    const apiKey = parameter ?? serviceKey;
    if (apiKey !== null) return { apiKey: checkedKey(apiKey), subject: null };
    throw new CallFault('No API token provided: set `api_key` in the call, or SERVICE_API_KEY for the server.');
  };
}
