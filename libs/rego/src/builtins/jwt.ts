import type { Run } from '../evaluate/run.js';
import { divide, multiply } from '../values/arithmetic.js';
import { compare } from '../values/compare.js';
import { fromBigInt, makeNumber } from '../values/decimal.js';
import { JsonSyntaxError, parseJson } from '../values/json.js';
import { jsonText } from '../values/text.js';
import { EMPTY_OBJECT, isArray, isNumeric, RegoObject } from '../values/value.js';
import type { Value } from '../values/value.js';
import { decodeBase64Url } from './encoding.js';
import { algorithmOf, signWith, verificationKeys, verifyHmac, verifySignature } from './jwt-keys.js';
import type { VerificationKey } from './jwt-keys.js';
import { objectOperand, stringOperand } from './operands.js';
import { BuiltinError } from './types.js';
import type { Builtin, BuiltinTable } from './types.js';

interface Token {
  readonly header: RegoObject;
  /** Text of the payload. */
  readonly payload: string;
  readonly signature: Buffer;
  /** What is signed. */
  readonly signed: string;
}

function decodePart(text: string, what: string): Buffer {
  try {
    return decodeBase64Url(text);
  } catch (error) {
    throw new BuiltinError(`JWT ${what} had invalid encoding: ${error instanceof Error ? error.message : ''}`);
  }
}

function readToken(text: string): Token {
  if (!text.includes('.')) throw new BuiltinError('encoded JWT had no period separators');
  const parts = text.split('.');
  const [head, body, signature] = parts;
  if (parts.length !== 3 || head === undefined || body === undefined || signature === undefined) {
    throw new BuiltinError(`encoded JWT must have 3 sections, found ${parts.length}`);
  }
  const header = parseObject(decodePart(head, 'header').toString('utf8'), 'JWT header');
  if (header.has('enc')) throw new BuiltinError('JWT is a JWE object, which is not supported');
  return {
    header,
    payload: decodePart(body, 'payload').toString('utf8'),
    signature: decodePart(signature, 'signature'),
    signed: `${head}.${body}`,
  };
}

function parseObject(text: string, what: string): RegoObject {
  let value: Value;
  try {
    value = parseJson(text);
  } catch (error) {
    throw new BuiltinError(`${what} is not JSON: ${error instanceof Error ? error.message : ''}`);
  }
  if (!(value instanceof RegoObject)) throw new BuiltinError(`${what} is not an object`);
  return value;
}

function isNested({ header }: Token): boolean {
  const type = header.get('cty');
  return typeof type === 'string' && type.toUpperCase() === 'JWT';
}

/** Tokens inside tokens are opened, to a depth that no honest one reaches. */
function innermost(text: string, visit: (token: Token) => boolean): Token | undefined {
  let token = readToken(text);
  for (let depth = 0; depth < 16; depth++) {
    if (!visit(token)) return undefined;
    if (!isNested(token)) return token;
    token = readToken(token.payload.replace(/^"|"$/g, ''));
  }
  throw new BuiltinError('JWT is nested too deeply');
}

function decode(args: readonly Value[]): Value {
  const token = innermost(stringOperand(args, 1), () => true);
  if (token === undefined) return [];
  return [token.header, parseObject(token.payload, 'JWT payload'), token.signature.toString('hex')];
}

function verifyWithKeys(name: string, token: Token, keys: readonly VerificationKey[]): boolean {
  const id = token.header.get('kid');
  const named = typeof id === 'string' ? keys.find((key) => key.id === id) : undefined;
  if (named !== undefined) return verifySignature(name, named.key, token.signed, token.signature);
  const algorithm = token.header.get('alg');
  return keys.some(
    (key) =>
      (key.algorithm === undefined || key.algorithm === algorithm) &&
      verifySignature(name, key.key, token.signed, token.signature),
  );
}

function verifier(name: string): Builtin {
  return {
    arity: 2,
    call: (args, run) => {
      const token = readToken(stringOperand(args, 1));
      const key = stringOperand(args, 2);
      run.meter.work(200);
      if (algorithmOf(name)?.family === 'hmac') return verifyHmac(name, key, token.signed, token.signature);
      return verifyWithKeys(name, token, verificationKeys(key));
    },
  };
}

interface Constraints {
  readonly keys: readonly VerificationKey[] | undefined;
  readonly secret: string | undefined;
  readonly algorithm: string | undefined;
  readonly issuer: string | undefined;
  readonly audience: string | undefined;
  /** Nanoseconds since 1970. */
  readonly time: Value;
}

function readConstraints(object: RegoObject, run: Run): Constraints {
  const text = (name: string): string | undefined => {
    const value = object.get(name);
    if (value !== undefined && typeof value !== 'string')
      throw new BuiltinError(`${name} constraint: must be a string`);
    return value;
  };
  for (const key of object.keys()) {
    if (!['cert', 'secret', 'alg', 'iss', 'aud', 'time'].includes(String(key)))
      throw new BuiltinError(`unknown token validation constraint: ${jsonText(key)}`);
  }
  const cert = text('cert');
  const secret = text('secret');
  if (cert === undefined && secret === undefined) throw new BuiltinError('no key constraint');
  if (cert !== undefined && secret !== undefined) throw new BuiltinError('duplicate key constraints');
  const time = object.get('time') ?? fromBigInt(run.now);
  if (!isNumeric(time)) throw new BuiltinError('token time constraint: must be a number');
  const keys = cert === undefined ? undefined : verificationKeys(cert);
  return { keys, secret, algorithm: text('alg'), issuer: text('iss'), audience: text('aud'), time };
}

function isSigned(token: Token, constraints: Constraints): boolean {
  const name = token.header.get('alg');
  if (typeof name !== 'string' || token.header.has('crit')) return false;
  if (constraints.algorithm !== undefined && constraints.algorithm !== name) return false;
  const family = algorithmOf(name)?.family;
  if (family === undefined) return false;
  if (constraints.secret !== undefined)
    return family === 'hmac' && verifyHmac(name, constraints.secret, token.signed, token.signature);
  return family !== 'hmac' && constraints.keys !== undefined && verifyWithKeys(name, token, constraints.keys);
}

function fitsAudience(claim: Value | undefined, wanted: string | undefined): boolean {
  if (claim === undefined || wanted === undefined) return claim === undefined && wanted === undefined;
  return isArray(claim) ? claim.includes(wanted) : claim === wanted;
}

/** Seconds of `exp` or `nbf`. */
function secondsOf(payload: RegoObject, name: string): Value | undefined {
  const value = payload.get(name);
  if (value !== undefined && !isNumeric(value)) throw new BuiltinError(`${name} value must be a number`);
  return value;
}

function decodeVerify(args: readonly Value[], run: Run): Value {
  const constraints = readConstraints(objectOperand(args, 2), run);
  run.meter.work(200);
  const unverified: Value = [false, EMPTY_OBJECT, EMPTY_OBJECT];
  const token = innermost(stringOperand(args, 1), (candidate) => isSigned(candidate, constraints));
  if (token === undefined) return unverified;
  const payload = parseObject(token.payload, 'JWT payload');
  if (constraints.issuer !== undefined && payload.get('iss') !== constraints.issuer) return unverified;
  if (!fitsAudience(payload.get('aud'), constraints.audience)) return unverified;
  const now = divide(constraints.time as number, makeNumber(1n, 9));
  const expires = secondsOf(payload, 'exp');
  if (expires !== undefined && compare(now, expires) >= 0) return unverified;
  const notBefore = secondsOf(payload, 'nbf');
  if (notBefore !== undefined && compare(multiply(now, 1), notBefore) < 0) return unverified;
  return [true, token.header, payload];
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

function encodeSign(header: string, payload: string, key: string, run: Run): Value {
  const { name, type } = headerAlgorithm(header);
  if ((type === undefined || type === 'JWT') && !isJson(payload))
    throw new BuiltinError('type is JWT but payload is not JSON');
  const jwk = parseObject(key, 'JWK');
  run.meter.work(500);
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
    call: (args, run) =>
      encodeSign(
        jsonText(objectOperand(args, 1), true),
        jsonText(objectOperand(args, 2), true),
        jsonText(objectOperand(args, 3), true),
        run,
      ),
  },
  'io.jwt.encode_sign_raw': {
    arity: 3,
    call: (args, run) => encodeSign(stringOperand(args, 1), stringOperand(args, 2), stringOperand(args, 3), run),
  },
};
