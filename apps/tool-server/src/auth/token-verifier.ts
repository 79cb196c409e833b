import { setTimeout as pause } from 'node:timers/promises';
import { errors, jwtVerify, type JWTPayload, type JWTVerifyOptions } from 'jose';
import { isLongLived, KEY_CLAIM_NAMES, keyIn, scopesIn } from './access-token.js';
import { AuthorizationServerFault, type AuthorizationServer, type Metadata } from './authorization-server.js';
import { OAuthFault } from './oauth-fault.js';

/** Asymmetric algorithms only: with a symmetric one, the public key would be the secret. */
const ALGORITHMS = [
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
  ...['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'],
];
const LEEWAY_SECONDS = 60;
const KEYS_COOLDOWN_MS = 1000;

/** Errors that say nothing about the token. */
const KEY_SET_FAULTS = [errors.JWKSTimeout, errors.JWKSInvalid, errors.JWKInvalid] as const;

/** A valid access token. */
export interface VerifiedToken {
  readonly subject: string;
  /** The API key in the claims. */
  readonly apiKey: string;
  readonly scopes: readonly string[];
  /** Seconds since 1970. */
  readonly expiresAt: number;
  readonly isLongLived: boolean;
}

export interface TokenRules {
  readonly requiredScopes: readonly string[];
  /** A token must be for one of these. */
  readonly audiences: readonly string[];
  /** `present`: a token without an audience is accepted. `none`: audiences are not checked. */
  readonly audienceCheck: 'always' | 'present' | 'none';
}

/** Validates access tokens. Every rejection is an OAuthFault. */
export class TokenVerifier {
  constructor(
    private readonly server: AuthorizationServer,
    private readonly rules: TokenRules,
  ) {}

  /** Returns the fault of a request without a token (RFC 6750: without an error code). */
  missing(): OAuthFault {
    const message = 'No API token provided: send an access token, Authorization: Bearer <token>';
    return new OAuthFault(message, { status: 401, error: null, scopes: this.rules.requiredScopes });
  }

  /** Throws an OAuthFault, or an AuthorizationServerFault if the keys cannot be read. */
  async verify(token: string): Promise<VerifiedToken> {
    const metadata = await this.server.metadata();
    const claims = await this.claimsOf(token, metadata);
    this.checkAudience(claims);
    const scopes = scopesIn(claims);
    checkScopes(scopes, this.rules.requiredScopes, this.rules.requiredScopes);
    const apiKey = keyIn(claims);
    if (apiKey === null) {
      throw this.invalid(`No API token provided: the access token has no API key in ${KEY_CLAIM_NAMES}`);
    }
    const { sub = '', exp = 0 } = claims;
    return { subject: sub, apiKey, scopes, expiresAt: exp, isLongLived: isLongLived(claims) };
  }

  private async claimsOf(token: string, metadata: Metadata): Promise<JWTPayload> {
    const keys = this.server.keysOf(metadata);
    const options: JWTVerifyOptions = {
      issuer: metadata.issuer,
      algorithms: ALGORITHMS,
      clockTolerance: LEEWAY_SECONDS,
      requiredClaims: ['sub', 'exp'],
    };
    try {
      try {
        return (await jwtVerify(token, keys, options)).payload;
      } catch (error) {
        if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
        // The keys may have been replaced directly after they were fetched.
        await pause(KEYS_COOLDOWN_MS);
        return (await jwtVerify(token, keys, options)).payload;
      }
    } catch (error) {
      if (error instanceof AuthorizationServerFault) throw error;
      if (KEY_SET_FAULTS.some((fault) => error instanceof fault)) {
        throw new AuthorizationServerFault('The authorization server cannot be read: its signing keys are not usable');
      }
      throw this.invalid(`Invalid token: ${reasonOf(error)}`);
    }
  }

  private checkAudience({ aud }: JWTPayload): void {
    const { audiences, audienceCheck } = this.rules;
    if (audienceCheck === 'none' || (audienceCheck === 'present' && aud === undefined)) return;
    const named = [aud ?? []].flat();
    if (named.some((audience) => audiences.includes(audience))) return;
    const found = aud === undefined ? 'it names no audience' : 'it is for another audience';
    throw this.invalid(`Invalid token: ${found}; expected ${audiences.join(' or ')}`);
  }

  private invalid(message: string): OAuthFault {
    return new OAuthFault(message, { status: 401, error: 'invalid_token', scopes: this.rules.requiredScopes });
  }
}

/**
 * Throws an OAuthFault (403) if a token lacks one of the scopes. `admin` includes every scope.
 *
 * @param all every scope that the request needs, which the client can ask for at once
 */
export function checkScopes(granted: readonly string[], needed: readonly string[], all: readonly string[]): void {
  const missing = needed.filter((scope) => !covers(granted, scope));
  if (missing.length === 0) return;
  const message = `Insufficient permissions: the access token lacks the scope ${missing.join(', ')}`;
  throw new OAuthFault(message, { status: 403, error: 'insufficient_scope', scopes: [...new Set(all)] });
}

/** Returns whether scopes include one; `admin` includes all. */
export function covers(granted: readonly string[], scope: string): boolean {
  return granted.includes('admin') || granted.includes(scope);
}

function reasonOf(error: unknown): string {
  if (error instanceof errors.JWTExpired) return 'it has expired';
  if (error instanceof errors.JWTClaimValidationFailed) return claimFault(error);
  if (error instanceof errors.JWSSignatureVerificationFailed) return 'its signature does not fit';
  if (error instanceof errors.JWKSNoMatchingKey)
    return 'it is signed with a key that the authorization server does not publish';
  if (error instanceof errors.JOSEAlgNotAllowed) return 'it is signed with an algorithm that is not accepted';
  return 'it is not a signed JWT of the authorization server';
}

function claimFault({ claim, reason }: errors.JWTClaimValidationFailed): string {
  if (claim === 'iss') return 'it is from another authorization server';
  if (claim === 'nbf') return 'it is not valid yet';
  return reason === 'missing' ? `it has no claim ${claim}` : `its claim ${claim} is not valid`;
}
