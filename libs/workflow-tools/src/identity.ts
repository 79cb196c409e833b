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

/** Simple mode: the key is the `api_key` argument of the call, otherwise the key of the server. */
export function simpleMode(serviceKey: string | null): IdentityOf {
  return (parameter) => {
    const apiKey = parameter ?? serviceKey;
    if (apiKey !== null) return { apiKey, subject: null };
    throw new CallFault('No API token provided: set `api_key` in the call, or SERVICE_API_KEY for the server.');
  };
}
