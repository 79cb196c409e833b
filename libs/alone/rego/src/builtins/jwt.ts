import type { Run } from '../evaluate/run.js';
import { divide, multiply } from '../values/arithmetic.js';
import { compare } from '../values/compare.js';
import { fromBigInt, makeNumber } from '../values/decimal.js';
import type { Numeric } from '../values/decimal.js';
import { JsonSyntaxError, parseJson } from '../values/json.js';
import { jsonText } from '../values/text.js';
import { EMPTY_OBJECT, isArray, isNumeric, RegoObject } from '../values/value.js';
import type { Value } from '../values/value.js';
import { decodeBase64Url } from './encoding.js';
import { algorithmOf, signWith, verificationKeys, verifyHmac, verifySignature } from './jwt-keys.js';
import type { VerificationKey } from './jwt-keys.js';
import { decodePart, headerOf, parseObject, payloadOf, readHeader, splitToken } from './jwt-token.js';
import type { Header, Token } from './jwt-token.js';
import { signingSteps, verifyingSteps } from './key-costs.js';
import { objectOperand, stringOperand } from './operands.js';
import { trimLeft, trimRight } from './strings.js';
import { BuiltinError } from './types.js';
import type { Builtin, BuiltinTable } from './types.js';

/** Maximum nesting depth of tokens, far beyond that of any real token. */
const MOST_NESTING = 16;

/** Characters that can surround a nested token. */
const QUOTES = `"'`;

function decode(args: readonly Value[]): Value {
  let text = stringOperand(args, 1);
  for (let depth = 0; depth < MOST_NESTING; depth++) {
    const token = splitToken(text);
    const header = headerOf(token);
    const payload = payloadOf(token);
    if (header.get('cty') !== 'JWT')
      return [header, parseObject(payload), decodePart(token.signature, 'signature').toString('hex')];
    text = trimRight(trimLeft(payload, QUOTES), QUOTES);
  }
  throw new BuiltinError('JWT is nested too deeply');
}

interface Signed {
  readonly header: Header;
  readonly content: string;
  readonly signature: Buffer;
}

/** Verifies a token with the key that it names, otherwise with any key that is not restricted to another algorithm. */
function verifyWithKeys(
  name: string,
  { header, content, signature }: Signed,
  keys: readonly VerificationKey[],
  { meter }: Run,
): boolean {
  const verifies = ({ key }: VerificationKey): boolean => {
    meter.work(verifyingSteps(key));
    const verified = verifySignature(name, key, content, signature);
    meter.checkTime();
    return verified;
  };
  const named = header.keyId === '' ? undefined : keys.find((key) => key.id === header.keyId);
  if (named !== undefined) return verifies(named);
  return keys.some((key) => (key.algorithm === undefined || key.algorithm === header.algorithm) && verifies(key));
}

function contentOf({ head, body }: Token): string {
  return `${head}.${body}`;
}

function verifier(name: string): Builtin {
  return {
    arity: 2,
    call: (args, run) => {
      run.meter.work(200);
      const text = stringOperand(args, 1);
      if (algorithmOf(name)?.family === 'hmac') {
        const secret = stringOperand(args, 2);
        const token = splitToken(text);
        return verifyHmac(name, secret, contentOf(token), decodeBase64Url(token.signature));
      }
      const token = splitToken(text);
      const keys = verificationKeys(stringOperand(args, 2), run.meter);
      const signature = decodeBase64Url(token.signature);
      const header = readHeader(headerOf(token));
      return verifyWithKeys(name, { header, content: contentOf(token), signature }, keys, run);
    },
  };
}

interface Constraints {
  readonly keys: readonly VerificationKey[] | undefined;
  /** Empty texts constrain nothing. */
  readonly secret: string;
  readonly algorithm: string;
  readonly issuer: string;
  readonly audience: string;
  /** Nanoseconds since 1970. */
  readonly time: Numeric;
}

const CONSTRAINTS = ['alg', 'aud', 'cert', 'iss', 'secret'];

function readConstraints(object: RegoObject, run: Run): Constraints {
  let keys: readonly VerificationKey[] | undefined;
  let time: Numeric = fromBigInt(run.now);
  const texts = new Map<string, string>();
  for (const [key, value] of object.entries()) {
    const name = typeof key === 'string' ? key : jsonText(key);
    if (name === 'time') {
      if (!isNumeric(value)) throw new BuiltinError('token time constraint: must be a number');
      if (compare(value, 0) < 0) throw new BuiltinError('token time constraint: must not be negative');
      time = value;
      continue;
    }
    if (!CONSTRAINTS.includes(name)) throw new BuiltinError(`unknown token validation constraint: ${name}`);
    if (typeof value !== 'string') throw new BuiltinError(`${name} constraint: must be a string`);
    if (name === 'cert') keys = verificationKeys(value, run.meter);
    else texts.set(name, value);
  }
  const [algorithm = '', audience = '', issuer = '', secret = ''] = ['alg', 'aud', 'iss', 'secret'].map(
    (name) => texts.get(name) ?? '',
  );
  if (keys === undefined && secret === '') throw new BuiltinError('no key constraint');
  if (keys !== undefined && secret !== '') throw new BuiltinError('duplicate key constraints');
  return { keys, secret, algorithm, issuer, audience, time };
}

function isSigned(token: Token, header: Header, constraints: Constraints, run: Run): boolean {
  const { algorithm } = header;
  if (algorithm === '' || header.demanding) return false;
  if (constraints.algorithm !== '' && constraints.algorithm !== algorithm) return false;
  const signature = decodeBase64Url(token.signature);
  const family = algorithmOf(algorithm)?.family;
  if (family === undefined) return false;
  const content = contentOf(token);
  if (constraints.keys !== undefined)
    return verifyWithKeys(algorithm, { header, content, signature }, constraints.keys, run);
  return family === 'hmac' && verifyHmac(algorithm, constraints.secret, content, signature);
}

/** Returns the innermost token if all tokens around it are signed as the constraints require. */
function innermost(
  text: string,
  constraints: Constraints,
  run: Run,
): [header: RegoObject, payload: RegoObject] | undefined {
  let inner = text;
  for (let depth = 0; depth < MOST_NESTING; depth++) {
    const token = splitToken(inner);
    const object = headerOf(token);
    const header = readHeader(object);
    if (!isSigned(token, header, constraints, run)) return undefined;
    const payload = payloadOf(token);
    if (header.contentType.toUpperCase() !== 'JWT') return [object, parseObject(payload)];
    inner = payload.replace(/^"|"$/g, '');
  }
  throw new BuiltinError('JWT is nested too deeply');
}

function fitsAudience(claim: Value | undefined, wanted: string): boolean {
  if (claim === undefined) return wanted === '';
  return isArray(claim) ? claim.includes(wanted) : claim === wanted;
}

/** Returns the seconds of `exp` or `nbf`. */
function secondsOf(payload: RegoObject, name: string): Value | undefined {
  const value = payload.get(name);
  if (value !== undefined && !isNumeric(value)) throw new BuiltinError(`${name} value must be a number`);
  return value;
}

function decodeVerify(args: readonly Value[], run: Run): Value {
  const constraints = readConstraints(objectOperand(args, 2), run);
  run.meter.work(200);
  const unverified: Value = [false, EMPTY_OBJECT, EMPTY_OBJECT];
  const verified = innermost(stringOperand(args, 1), constraints, run);
  if (verified === undefined) return unverified;
  const [header, payload] = verified;
  if (constraints.issuer !== '' && payload.get('iss') !== constraints.issuer) return unverified;
  if (!fitsAudience(payload.get('aud'), constraints.audience)) return unverified;
  const now = divide(constraints.time, makeNumber(1n, 9));
  const expires = secondsOf(payload, 'exp');
  if (expires !== undefined && compare(now, expires) >= 0) return unverified;
  const notBefore = secondsOf(payload, 'nbf');
  if (notBefore !== undefined && compare(multiply(now, 1), notBefore) < 0) return unverified;
  return [true, header, payload];
}

function isJson(text: string): boolean {
  try {
    parseJson(text);
    return true;
  } catch (error) {
    if (error instanceof JsonSyntaxError) return false;
    throw error;
  }
}

function headerAlgorithm(text: string): { name: string; type: Value | undefined } {
  const missing = "missing or invalid 'alg' header";
  if (text === '') throw new BuiltinError(`${missing}: cannot parse JSON: cannot parse empty string`);
  const opensJson = /^\s*[[{"]/.test(text);
  if (opensJson && !isJson(text)) throw new BuiltinError(`${missing}: cannot parse JSON`);
  const header = opensJson ? parseJson(text) : null;
  const name = header instanceof RegoObject ? header.get('alg') : undefined;
  if (typeof name !== 'string') throw new BuiltinError(`${missing}: jwsbb: header "alg" not found`);
  return { name, type: header instanceof RegoObject ? header.get('typ') : undefined };
}

/** Returns the key, or the first key of a set. */
function firstKey(jwk: RegoObject): RegoObject {
  const keys = jwk.get('keys');
  if (!isArray(keys)) return jwk;
  const [first] = keys;
  if (!(first instanceof RegoObject)) throw new BuiltinError('no keys found in JWK set');
  return first;
}

function encodeSign(header: string, payload: string, key: string, run: Run): Value {
  const { name, type } = headerAlgorithm(header);
  if ((typeof type !== 'string' || type === 'JWT') && !isJson(payload))
    throw new BuiltinError('type is JWT but payload is not JSON');
  const jwk = firstKey(parseObject(key));
  run.meter.work(signingSteps(jwk));
  run.meter.allocate((header.length + payload.length) * 4);
  const signed = `${Buffer.from(header).toString('base64url')}.${Buffer.from(payload).toString('base64url')}`;
  return `${signed}.${signWith(name, jwk, signed).toString('base64url')}`;
}

const VERIFIERS = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'HS256',
  'HS384',
  'HS512',
];

export const jwtBuiltins: BuiltinTable = {
  'io.jwt.decode': { arity: 1, call: decode },
  'io.jwt.decode_verify': { arity: 2, call: decodeVerify },
  ...Object.fromEntries(VERIFIERS.map((name) => [`io.jwt.verify_${name.toLowerCase()}`, verifier(name)])),
  'io.jwt.encode_sign': {
    arity: 3,
    call: (args, run) => {
      const [header, payload, key] = args.map((arg) => jsonText(arg, true)) as [string, string, string];
      return encodeSign(header, payload, key, run);
    },
  },
  'io.jwt.encode_sign_raw': {
    arity: 3,
    call: (args, run) => {
      const key = stringOperand(args, 3);
      return encodeSign(stringOperand(args, 1), stringOperand(args, 2), key, run);
    },
  },
};
