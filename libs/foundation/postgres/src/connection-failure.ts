import type { DatabaseHost } from '@app/config';
import type { ServerAddress } from './server-address.js';

/** SQLSTATE: the client cannot establish a connection. */
const CANNOT_CONNECT = '08001';
const WRONG_NAME = 'ERR_TLS_CERT_ALTNAME_INVALID';
const UNKNOWN_AUTHORITY = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'CERT_SIGNATURE_FAILURE',
]);
const INVALID_CERTIFICATE = /^(CERT_|CRL_|ERR_SSL_|ERR_TLS_|EPROTO)/;

/** A connection that the settings prevent: the message names the setting to change. */
export class ConnectionRefused extends Error {
  constructor(
    message: string,
    readonly code: string,
    cause?: unknown,
  ) {
    super(message, { cause });
    this.name = 'ConnectionRefused';
  }
}

/** Returns the error of a connection that could not be opened, with the setting to change if one prevents it. */
export function explainConnectionFailure(error: Error, address: ServerAddress, host: DatabaseHost): Error {
  const { code = '' } = error as { readonly code?: string };
  const explained = explanation(error.message, code, address, `${host.host}:${host.port}`);
  if (explained === undefined) return error;
  return new ConnectionRefused(explained, /^[0-9A-Z]{5}$/.test(code) ? code : CANNOT_CONNECT, error);
}

function explanation(message: string, code: string, { setting }: ServerAddress, server: string): string | undefined {
  if (code === WRONG_NAME) {
    return (
      `${setting}: the certificate of ${server} is for another host name (${message.replace(/^.*?: /, '')}). ` +
      'Use a name of the certificate in the URL, or sslmode=verify-ca with DATABASE_CA_FILE if the authority signs no ' +
      'other servers.'
    );
  }
  if (UNKNOWN_AUTHORITY.has(code)) {
    return (
      `${setting}: the certificate of ${server} is not signed by a trusted authority (${message}). ` +
      'Set DATABASE_CA_FILE to the file with the certificate of its authority.'
    );
  }
  if (INVALID_CERTIFICATE.test(code)) return `${setting}: TLS with ${server} failed (${message}).`;
  if (message === 'The server does not support SSL connections') {
    return `${setting} requires TLS (sslmode or DATABASE_CA_FILE), which ${server} does not offer.`;
  }
  if ((code === '28000' && /no encryption|SSL off/i.test(message)) || /^SSL required$/i.test(message)) {
    return (
      `${setting}: ${server} accepts connections with TLS only. Add sslmode=verify-full to the URL, and set ` +
      'DATABASE_CA_FILE if its certificate is signed by an authority of your own.'
    );
  }
  if (message === 'Query read timeout') {
    return `${setting}: ${server} accepts connections but answers no statement: it hangs, or is a pooler without a server.`;
  }
  const [, parameter] = /unsupported startup parameter(?: in options)?: "?(\w+)/.exec(message) ?? [];
  if (parameter === undefined) return undefined;
  return (
    `${setting}: the pooler at ${server} rejects the parameter ${parameter}. Remove it from the URL, or add it to ` +
    'ignore_startup_parameters of PgBouncer.'
  );
}
