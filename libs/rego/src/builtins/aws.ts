import { createHash, createHmac } from 'node:crypto';
import { compareStrings } from '../values/compare.js';
import { toBigInt } from '../values/decimal.js';
import { jsonText } from '../values/text.js';
import { isNumeric, RegoObject } from '../values/value.js';
import type { Value } from '../values/value.js';
import { objectOperand, typeError } from './operands.js';
import { BuiltinError } from './types.js';
import type { BuiltinTable } from './types.js';

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}

function missing(object: RegoObject, names: readonly string[]): string | undefined {
  const absent = names.filter((name) => !object.has(name));
  return absent.length === 0 ? undefined : `{${absent.map((name) => JSON.stringify(name)).join(', ')}}`;
}

const CONFIG = ['aws_access_key', 'aws_region', 'aws_secret_access_key', 'aws_service'];

interface Config {
  readonly accessKey: string;
  readonly region: string;
  readonly secret: string;
  readonly service: string;
  readonly session: string | undefined;
  readonly unsigned: boolean;
}

function readConfig(object: RegoObject): Config {
  const absent = missing(object, CONFIG);
  if (absent !== undefined) throw typeError(`operand 2 missing required AWS config parameters(s): ${absent}`);
  const wrong = CONFIG.filter((name) => typeof object.get(name) !== 'string');
  if (wrong.length > 0) {
    throw typeError(
      `operand 2 invalid values for required AWS config parameters(s): {${wrong.map((name) => JSON.stringify(name)).join(', ')}}`,
    );
  }
  const text = (name: string): string => String(object.get(name));
  const session = object.get('aws_session_token');
  return {
    accessKey: text('aws_access_key'),
    region: text('aws_region'),
    secret: text('aws_secret_access_key'),
    service: text('aws_service'),
    session: typeof session === 'string' ? session : undefined,
    unsigned: object.get('disable_payload_signing') === true,
  };
}

/** The moment as `20151228T140825Z`. */
function amzDate(value: Value): string {
  const nanoseconds = isNumeric(value) ? toBigInt(value) : undefined;
  if (nanoseconds === undefined || nanoseconds < 0n || nanoseconds > (1n << 63n) - 1n) {
    throw typeError('operand 3 could not convert time_ns value into a unix timestamp');
  }
  const date = new Date(Number(nanoseconds / 1_000_000n));
  return date.toISOString().replace(/[-:]|\.\d{3}/g, '');
}

function bodyOf(request: RegoObject): string {
  const raw = request.get('raw_body');
  if (typeof raw === 'string') return raw;
  const body = request.get('body');
  return body === undefined ? '' : jsonText(body);
}

/** Signature version 4 of a request object, as it is given to `http.send`. */
function signRequest(args: readonly Value[]): Value {
  const request = objectOperand(args, 1);
  const absent = missing(request, ['method', 'url']);
  if (absent !== undefined) throw typeError(`operand 1 missing required request parameters(s): ${absent}`);
  const config = readConfig(objectOperand(args, 2));
  const date = amzDate(args[2] as Value);
  let url: URL;
  try {
    url = new URL(String(request.get('url')));
  } catch {
    throw new BuiltinError('could not parse the URL of the request');
  }
  const payload = config.unsigned ? 'UNSIGNED-PAYLOAD' : sha256(bodyOf(request));
  const headers = new Map<string, string>();
  const given = request.get('headers');
  for (const [name, value] of given instanceof RegoObject ? given.entries() : [])
    headers.set(String(name), headerText(value));
  headers.set('host', url.host);
  headers.set('x-amz-date', date);
  if (config.service === 's3') headers.set('x-amz-content-sha256', payload);
  if (config.session !== undefined) headers.set('x-amz-security-token', config.session);
  headers.set(
    'Authorization',
    authorization(
      { method: String(request.get('method')), written: String(request.get('url')), url, headers, payload, date },
      config,
    ),
  );
  return new RegoObject([...request.entries(), ['headers', new RegoObject([...headers])]]);
}

function headerText(value: Value): string {
  return typeof value === 'string' ? value : jsonText(value);
}

/** The path as it was written: empty where the URL has none. */
function pathOf(url: string): string {
  return /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*([^?#]*)/i.exec(url)?.[1] ?? '';
}

interface Signing {
  readonly method: string;
  /** As it was written. */
  readonly written: string;
  readonly url: URL;
  readonly headers: ReadonlyMap<string, string>;
  readonly payload: string;
  readonly date: string;
}

function authorization({ method, written, url, headers, payload, date }: Signing, config: Config): string {
  const signed = [...headers]
    .map(([name, value]) => [name.toLowerCase(), value.trim()] as const)
    .sort((a, b) => compareStrings(a[0], b[0]));
  const names = signed.map(([name]) => name).join(';');
  const query = [...url.searchParams]
    .map(([key, value]) => `${encodeURIComponent(key)}=${encodeURIComponent(value)}`)
    .sort(compareStrings)
    .join('&');
  const canonical = [
    method,
    pathOf(written),
    query,
    ...signed.map(([name, value]) => `${name}:${value}`),
    '',
    names,
    payload,
  ].join('\n');
  const day = date.slice(0, 8);
  const scope = `${day}/${config.region}/${config.service}/aws4_request`;
  const text = ['AWS4-HMAC-SHA256', date, scope, sha256(canonical)].join('\n');
  const key = hmac(hmac(hmac(hmac(`AWS4${config.secret}`, day), config.region), config.service), 'aws4_request');
  const signature = hmac(key, text).toString('hex');
  return `AWS4-HMAC-SHA256 Credential=${config.accessKey}/${scope},SignedHeaders=${names},Signature=${signature}`;
}

export const awsBuiltins: BuiltinTable = { 'providers.aws.sign_req': { arity: 3, call: signRequest } };
