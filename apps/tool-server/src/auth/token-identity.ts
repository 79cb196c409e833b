import { CallFault, checkedKey, type IdentityOf } from '@app/mcp-tools';
import { verifiedToken } from './access.guard.js';

/** With an authorization server, the key is the one in the token of the caller, and no other. */
export const tokenIdentity: IdentityOf = (parameter, authInfo) => {
  const token = verifiedToken(authInfo);
  if (token === null) throw new CallFault('No API token provided: the request has no access token.');
  if (parameter !== undefined) {
    throw new CallFault('The argument api_key is not accepted here: the API key is the one in the access token.');
  }
  return { apiKey: checkedKey(token.apiKey), subject: token.subject };
};
