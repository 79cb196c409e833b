import { createPrivateKey, type JsonWebKey, type KeyObject } from 'node:crypto';
import { fromPlain } from '../values/convert.js';
import { fromBigInt } from '../values/decimal.js';
import { EMPTY_OBJECT, RegoObject } from '../values/value.js';
import type { Value } from '../values/value.js';
import { decodeBase64 } from './encoding.js';
import { pemBlocks, type PemBlock } from './pem.js';
import { BuiltinError } from './types.js';

const KEY_TYPES: Readonly<Record<string, 'pkcs1' | 'pkcs8' | 'sec1'>> = {
  'RSA PRIVATE KEY': 'pkcs1',
  'PRIVATE KEY': 'pkcs8',
  'EC PRIVATE KEY': 'sec1',
};

function readKeys(blocks: readonly PemBlock[]): KeyObject[] {
  return blocks.flatMap(({ type, der }) => {
    const form = KEY_TYPES[type];
    if (form === undefined) return [];
    try {
      return [createPrivateKey({ key: der, format: 'der', type: form })];
    } catch {
      throw new BuiltinError('failed to parse the private key');
    }
  });
}

/** Returns the first private key of PEM data, or of PEM data in base64, as a JSON Web Key; `null` if there is none. */
export function webKey(text: string): Value {
  if (text === '') throw new BuiltinError('input PEM data was empty');
  const source = text.startsWith('-----BEGIN') ? text : decodeBase64(text, 'std', true).toString('latin1');
  const [key] = readKeys(pemBlocks(source));
  return key === undefined ? null : fromPlain(key.export({ format: 'jwk' }));
}

/** Returns every private key of PEM data, or of PEM data in base64, as its numbers. */
export function privateKeys(text: string): Value {
  if (text === '') return null;
  return readKeys(pemBlocks(decodedOr(text))).map(keyNumbers);
}

/** Returns the first private key of PEM data, of PEM data in base64, or of PKCS #8 data in base64. */
export function firstKey(text: string): KeyObject {
  const source = text.startsWith('-----BEGIN') ? text : decodeBase64(text, 'std', true).toString('latin1');
  const blocks = source.startsWith('-----BEGIN')
    ? pemBlocks(source)
    : [{ type: 'PRIVATE KEY', der: Buffer.from(source, 'latin1') }];
  const [key] = readKeys(blocks);
  if (key === undefined) throw new BuiltinError('tls: failed to find any PEM data in key input');
  return key;
}

function decodedOr(text: string): string {
  try {
    return decodeBase64(text, 'std', true).toString('latin1');
  } catch {
    return text;
  }
}

/** Returns a key in the form of the Open Policy Agent, which has the fields of Go's structures. */
export function keyNumbers(key: KeyObject): Value {
  const web = key.export({ format: 'jwk' });
  if (web.kty === 'RSA') return rsaNumbers(web);
  if (web.kty === 'EC') {
    return new RegoObject([
      ['Curve', EMPTY_OBJECT],
      ['X', number(web.x)],
      ['Y', number(web.y)],
      ['D', number(web.d)],
    ]);
  }
  return Buffer.concat([bytes(web.d), bytes(web.x)]).toString('base64');
}

function rsaNumbers(web: JsonWebKey): Value {
  const precomputed: [Value, Value][] = [
    ['Dp', number(web.dp)],
    ['Dq', number(web.dq)],
    ['Qinv', number(web.qi)],
    ['CRTValues', []],
  ];
  return new RegoObject([
    ['N', number(web.n)],
    ['E', number(web.e)],
    ['D', number(web.d)],
    ['Primes', [number(web.p), number(web.q)]],
    ['Precomputed', new RegoObject(precomputed)],
  ]);
}

function bytes(text: string | undefined): Buffer {
  return Buffer.from(text ?? '', 'base64url');
}

function number(text: string | undefined): Value {
  return fromBigInt(BigInt(`0x${bytes(text).toString('hex') || '0'}`));
}
