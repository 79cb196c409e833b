import type { KeyObject } from 'node:crypto';
import { isArray, RegoObject } from '../values/value.js';
import type { Value } from '../values/value.js';

/** Steps to read a key or to compute a hash. */
const SMALL_STEPS = 1_000;
/**
 * Steps of one operation with an elliptic curve key. Reading such a key costs the same, because its point is checked.
 */
const CURVE_STEPS: ReadonlyMap<string, number> = new Map([
  ['P-256', 4_000],
  ['prime256v1', 4_000],
  ['secp256k1', 32_000],
  ['P-384', 50_000],
  ['secp384r1', 50_000],
  ['P-521', 90_000],
  ['secp521r1', 90_000],
]);
const UNKNOWN_CURVE_STEPS = 90_000;
const ED25519_STEPS = 6_000;

function curveSteps(curve: string | undefined): number {
  return CURVE_STEPS.get(curve ?? '') ?? UNKNOWN_CURVE_STEPS;
}

/** Returns the steps of an exponentiation: one multiplication of `bits`-bit numbers for each bit of the exponent. */
function powerSteps(bits: number, exponentBits: number): number {
  return SMALL_STEPS + (exponentBits * (bits / 64) ** 2) / 15;
}

/** Returns the steps to read a JWK. */
export function readingSteps(jwk: Value): number {
  if (!(jwk instanceof RegoObject) || jwk.get('kty') !== 'EC') return SMALL_STEPS;
  const curve = jwk.get('crv');
  return curveSteps(typeof curve === 'string' ? curve : undefined);
}

/** Returns the steps to verify a signature with a key. */
export function verifyingSteps(key: KeyObject): number {
  if (key.type === 'secret') return SMALL_STEPS;
  const { modulusLength, publicExponent, namedCurve } = key.asymmetricKeyDetails ?? {};
  if (modulusLength !== undefined) return powerSteps(modulusLength, (publicExponent ?? 0n).toString(2).length);
  return key.asymmetricKeyType === 'ed25519' ? ED25519_STEPS : curveSteps(namedCurve);
}

/** Returns the steps to read a private JWK and to sign with it. */
export function signingSteps(jwk: RegoObject): number {
  const [type, modulus] = [jwk.get('kty'), jwk.get('n')];
  // The exponent of a private key is as long as its modulus; the two primes make it four times as fast.
  if (type === 'RSA' && typeof modulus === 'string') return powerSteps(modulus.length * 6, (modulus.length * 6) / 4);
  return type === 'OKP' ? ED25519_STEPS : readingSteps(jwk) * 2;
}

/** Returns the keys of a set, or the key itself. */
export function keysOf(jwk: RegoObject): readonly Value[] {
  const set = jwk.get('keys');
  return isArray(set) ? set : [jwk];
}
