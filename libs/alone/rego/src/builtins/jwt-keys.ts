import {
  constants,
  createHmac,
  createPrivateKey,
  createPublicKey,
  createSecretKey,
  sign,
  timingSafeEqual,
  verify,
  X509Certificate,
} from 'node:crypto';
import type { JsonWebKey, KeyObject } from 'node:crypto';
import type { Meter } from '../budget.js';
import { toPlain } from '../values/convert.js';
import { parseJson } from '../values/json.js';
import { RegoObject } from '../values/value.js';
import type { Value } from '../values/value.js';
import { keysOf, readingSteps } from './key-costs.js';
import { BuiltinError } from './types.js';

export interface VerificationKey {
  readonly key: KeyObject;
  readonly algorithm: string | undefined;
  readonly id: string | undefined;
}

interface Algorithm {
  readonly family: 'hmac' | 'rsa' | 'pss' | 'ecdsa' | 'eddsa';
  readonly hash: string | undefined;
}

const ALGORITHMS: ReadonlyMap<string, Algorithm> = new Map(
  ['256', '384', '512']
    .flatMap((size): [string, Algorithm][] => [
      [`HS${size}`, { family: 'hmac', hash: `sha${size}` }],
      [`RS${size}`, { family: 'rsa', hash: `sha${size}` }],
      [`PS${size}`, { family: 'pss', hash: `sha${size}` }],
      [`ES${size}`, { family: 'ecdsa', hash: `sha${size}` }],
    ])
    .concat([['EdDSA', { family: 'eddsa', hash: undefined }]]),
);

export function algorithmOf(name: string): Algorithm | undefined {
  return ALGORITHMS.get(name);
}

/** Maximum number of keys in a set. Published sets have only a few. */
const MAX_KEYS = 256;

const PEM = /^\s*-----BEGIN ([A-Z0-9 ]+)-----\s([\s\S]*?)-----END \1-----(.*)$/s;

/** Returns the keys of a PEM certificate, a PEM public key, a JWK or a set of at most `MAX_KEYS` JWKs. */
export function verificationKeys(source: string, meter: Meter): readonly VerificationKey[] {
  const pem = PEM.exec(source);
  return pem === null ? jwkKeys(source, meter) : [{ key: pemKey(pem), algorithm: undefined, id: undefined }];
}

function pemKey(pem: RegExpExecArray): KeyObject {
  const [text, type, , rest] = pem;
  if ((rest ?? '').trim() !== '') throw new BuiltinError('extra data after a PEM certificate block');
  if (type === 'CERTIFICATE') {
    try {
      return new X509Certificate(text).publicKey;
    } catch {
      throw new BuiltinError('failed to parse a PEM certificate');
    }
  }
  if (type !== 'PUBLIC KEY') throw new BuiltinError('failed to extract a Key from the PEM certificate');
  try {
    return createPublicKey(text);
  } catch {
    throw new BuiltinError('failed to parse a PEM public key');
  }
}

function jwkKeys(source: string, meter: Meter): readonly VerificationKey[] {
  const fail = (): BuiltinError => new BuiltinError('failed to parse a JWK key (set)');
  let parsed: Value;
  try {
    parsed = parseJson(source);
  } catch {
    throw fail();
  }
  if (!(parsed instanceof RegoObject)) throw fail();
  const sources = keysOf(parsed);
  if (sources.length > MAX_KEYS) throw new BuiltinError(`a JWK set can have at most ${MAX_KEYS} keys`);
  const keys = sources.map((jwk): VerificationKey | undefined => {
    meter.work(readingSteps(jwk));
    if (!(jwk instanceof RegoObject)) return undefined;
    const algorithm = jwk.get('alg');
    const id = jwk.get('kid');
    const secret = jwk.get('k');
    try {
      const key =
        jwk.get('kty') === 'oct' && typeof secret === 'string'
          ? createSecretKey(Buffer.from(secret, 'base64url'))
          : createPublicKey({ key: toPlain(jwk) as JsonWebKey, format: 'jwk' });
      return {
        key,
        algorithm: typeof algorithm === 'string' && algorithm !== '' ? algorithm : undefined,
        id: typeof id === 'string' ? id : undefined,
      };
    } catch {
      return undefined;
    }
  });
  const usable = keys.filter((key) => key !== undefined);
  if (usable.length === 0) throw fail();
  return usable.filter(({ algorithm }) => algorithm === undefined || ALGORITHMS.has(algorithm));
}

function pssOptions(key: KeyObject): { key: KeyObject; padding: number; saltLength: number } {
  return { key, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_AUTO };
}

export function verifySignature(name: string, key: KeyObject, content: string, signature: Buffer): boolean {
  const algorithm = algorithmOf(name);
  const data = Buffer.from(content);
  try {
    switch (algorithm?.family) {
      case 'hmac':
        return key.type === 'secret' && verifyHmac(name, key, content, signature);
      case 'rsa':
        return key.asymmetricKeyType === 'rsa' && verify(algorithm.hash, data, key, signature);
      case 'pss':
        return key.asymmetricKeyType === 'rsa' && verify(algorithm.hash, data, pssOptions(key), signature);
      case 'ecdsa':
        return (
          key.asymmetricKeyType === 'ec' && verify(algorithm.hash, data, { key, dsaEncoding: 'ieee-p1363' }, signature)
        );
      case 'eddsa':
        return key.asymmetricKeyType === 'ed25519' && verify(null, data, key, signature);
      default:
        return false;
    }
  } catch {
    return false;
  }
}

function hmacSignature(name: string, secret: string | Buffer | KeyObject, content: string): Buffer {
  const hash = algorithmOf(name)?.hash;
  if (hash === undefined || !name.startsWith('HS')) throw new BuiltinError(`unknown signature algorithm: ${name}`);
  return createHmac(hash, secret).update(content).digest();
}

export function verifyHmac(name: string, secret: string | KeyObject, content: string, signature: Buffer): boolean {
  const expected = hmacSignature(name, secret, content);
  return expected.length === signature.length && timingSafeEqual(expected, signature);
}

/** Signs with a private JWK. */
export function signWith(name: string, jwk: RegoObject, content: string): Buffer {
  const algorithm = algorithmOf(name);
  if (algorithm === undefined) throw new BuiltinError(`unknown JWS algorithm: ${name}`);
  if (algorithm.family === 'hmac') {
    const secret = jwk.get('k');
    if (jwk.get('kty') !== 'oct' || typeof secret !== 'string')
      throw new BuiltinError('failed to parse JWK: a symmetric key is needed');
    return hmacSignature(name, Buffer.from(secret, 'base64url'), content);
  }
  const data = Buffer.from(content);
  try {
    const key = createPrivateKey({ key: toPlain(jwk) as JsonWebKey, format: 'jwk' });
    if (algorithm.family === 'eddsa') return sign(null, data, key);
    if (algorithm.family === 'ecdsa') return sign(algorithm.hash, data, { key, dsaEncoding: 'ieee-p1363' });
    const padding = { key, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST };
    return sign(algorithm.hash, data, algorithm.family === 'pss' ? padding : key);
  } catch {
    throw new BuiltinError('failed to sign with the given JWK');
  }
}
