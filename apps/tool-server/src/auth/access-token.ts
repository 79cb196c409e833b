import type { JWTPayload } from 'jose';

/** Claims that may contain the API key of the user, in the order in which they are searched. */
const KEY_CLAIMS: readonly (readonly string[])[] = [['service_api_key'], ['api_key'], ['metadata', 'service_api_key']];
/** The recommended maximum lifetime of a token, in seconds. */
const RECOMMENDED_LIFETIME = 3600;

/** Returns the API key in the claims; null if no claim contains a text that is not empty. */
export function keyIn(claims: JWTPayload): string | null {
  for (const path of KEY_CLAIMS) {
    const value = path.reduce<unknown>(memberOf, claims);
    if (typeof value === 'string' && value !== '') return value;
  }
  return null;
}

/** The names of the claims, for messages. */
export const KEY_CLAIM_NAMES: string = KEY_CLAIMS.map((path) => path.join('.')).join(', ');

/** Returns the scopes in `scope` or `scp`, which are texts with spaces or commas, or lists. */
export function scopesIn({ scope, scp }: JWTPayload): string[] {
  return [scope, scp].flatMap((claim) => {
    const parts = Array.isArray(claim) ? claim : [claim];
    return parts.filter((part): part is string => typeof part === 'string').flatMap(words);
  });
}

/** Returns whether a token lives longer than recommended, or for an unknown time. */
export function isLongLived({ iat, exp }: JWTPayload): boolean {
  return iat === undefined || exp === undefined || exp - iat > RECOMMENDED_LIFETIME;
}

function words(text: string): string[] {
  return text.split(/[\s,]+/).filter((word) => word !== '');
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Record<string, unknown>)[name]
    : undefined;
}
