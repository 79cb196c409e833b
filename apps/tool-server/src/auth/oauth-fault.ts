export type OAuthErrorCode = 'invalid_token' | 'insufficient_scope';

interface Challenge {
  readonly status: 401 | 403;
  /** Null if the request contains no token (RFC 6750, section 3.1). */
  readonly error: OAuthErrorCode | null;
  /** All scopes that the request needs. */
  readonly scopes: readonly string[];
}

/** A request without sufficient authorization. Its message is shown to the caller and contains no token. */
export class OAuthFault extends Error {
  override readonly name = 'OAuthFault';

  constructor(
    message: string,
    readonly challenge: Challenge,
  ) {
    super(message);
  }
}

/** Returns the value of `WWW-Authenticate`. */
export function challengeHeader({ message, challenge }: OAuthFault, metadataUrl: string): string {
  const { error, scopes } = challenge;
  const parameters = [
    ...(error === null ? [] : [['error', error]]),
    ['error_description', message],
    ...(scopes.length === 0 ? [] : [['scope', scopes.join(' ')]]),
    ['resource_metadata', metadataUrl],
  ];
  return `Bearer ${parameters.map(([name, value = '']) => `${name}="${quotable(value)}"`).join(', ')}`;
}

/** The body of the response. */
export function oauthErrorBody({ message, challenge }: OAuthFault): object {
  return { error: challenge.error ?? 'invalid_token', error_description: message };
}

function quotable(value: string): string {
  return value.replaceAll(/[^\x20-\x7e]/g, '?').replaceAll(/["\\]/g, "'");
}
