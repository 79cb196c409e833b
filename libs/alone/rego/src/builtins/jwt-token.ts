import { JsonSyntaxError, parseJson } from '../values/json.js';
import { isArray, RegoObject } from '../values/value.js';
import type { Value } from '../values/value.js';
import { decodeBase64Url } from './encoding.js';
import { BuiltinError } from './types.js';

/** The three parts of a token, still encoded. */
export interface Token {
  readonly head: string;
  readonly body: string;
  readonly signature: string;
}

export function splitToken(text: string): Token {
  if (!text.includes('.')) throw new BuiltinError('encoded JWT had no period separators');
  const parts = text.split('.');
  const [head, body, signature] = parts;
  if (parts.length !== 3 || head === undefined || body === undefined || signature === undefined) {
    throw new BuiltinError(`encoded JWT must have 3 sections, found ${parts.length}`);
  }
  return { head, body, signature };
}

export function decodePart(text: string, what: string): Buffer {
  return prefixed(`JWT ${what} had invalid encoding`, () => decodeBase64Url(text));
}

/** Returns the result of `read`. Its errors get the prefix `prefix`. */
function prefixed<T>(prefix: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof BuiltinError || error instanceof JsonSyntaxError)) throw error;
    throw new BuiltinError(`${prefix}: ${error.message}`);
  }
}

export function parseObject(text: string): RegoObject {
  const value = prefixed('invalid JSON', () => parseJson(text));
  if (!(value instanceof RegoObject)) throw new BuiltinError('decoded JSON type was not an Object');
  return value;
}

export function headerOf({ head }: Token): RegoObject {
  const text = decodePart(head, 'header').toString('utf8');
  const header = prefixed('bad JWT header', () => parseObject(text));
  if (header.has('enc')) throw new BuiltinError('JWT is a JWE object, which is not supported');
  return header;
}

export function payloadOf({ body }: Token): string {
  return decodePart(body, 'payload').toString('utf8');
}

/** The fields of a header that are interpreted. */
const HEADER_TEXTS = ['alg', 'cty', 'kid', 'typ'];

export interface Header {
  readonly algorithm: string;
  readonly keyId: string;
  readonly contentType: string;
  /** Whether the header marks an unsupported extension as critical. */
  readonly demanding: boolean;
}

export function readHeader(header: RegoObject): Header {
  const critical = header.get('crit');
  if (critical !== undefined && !isArray(critical)) throw new BuiltinError('crit: must be a list');
  const demanded = (critical ?? []).filter((name) => typeof name === 'string');
  if (critical !== undefined && demanded.length === 0) throw new BuiltinError('crit: must be a nonempty list');
  const text = (name: string): string => {
    const value = header.get(name) ?? (header.has(name) ? null : '');
    if (typeof value !== 'string') throw new BuiltinError(`${name}: must be a string`);
    return value;
  };
  const [algorithm = '', contentType = '', keyId = ''] = HEADER_TEXTS.map(text);
  const known = new Set<Value>([...HEADER_TEXTS, 'crit']);
  return { algorithm, keyId, contentType, demanding: demanded.some((name) => !known.has(name) && header.has(name)) };
}
