import { createHash, createHmac } from 'node:crypto';
import { compareStrings } from '../values/compare.js';
import { toBigInt } from '../values/decimal.js';
import { jsonText, valueText } from '../values/text.js';
import { RegoObject, RegoSet } from '../values/value.js';
import type { Value } from '../values/value.js';
import { numberOperand, objectOperand, operandError, typeError } from './operands.js';
import { BuiltinError } from './types.js';
import type { BuiltinTable } from './types.js';

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}

/** Returns the names as the text of a set; undefined if there are none. */
function listed(names: readonly string[]): string | undefined {
  return names.length === 0 ? undefined : valueText(new RegoSet(names));
}

const CONFIG = ['aws_access_key', 'aws_region', 'aws_secret_access_key', 'aws_service'];

interface Config {
  readonly accessKey: string;
  readonly region: string;
  readonly secret: string;
  readonly service: string;
  /** Empty if there is no session. */
  readonly session: string;
}

function readConfig(object: RegoObject): Config {
  const absent = listed(CONFIG.filter((name) => !object.has(name)));
  if (absent !== undefined) throw typeError(`operand 2 missing required AWS config parameters(s): ${absent}`);
  const wrong = listed(CONFIG.filter((name) => typeof object.get(name) !== 'string'));
  if (wrong !== undefined) throw typeError(`operand 2 invalid values for required AWS config parameters(s): ${wrong}`);
  const text = (name: string): string => textOr(object.get(name), '');
  return {
    accessKey: text('aws_access_key'),
    region: text('aws_region'),
    secret: text('aws_secret_access_key'),
    service: text('aws_service'),
    session: text('aws_session_token'),
  };
}

function textOr<T>(value: Value | undefined, otherwise: T): string | T {
  return typeof value === 'string' ? value : otherwise;
}

/** Returns the time in the form `20151228T140825Z`. */
function amzDate(value: Value): string {
  const nanoseconds = toBigInt(numberOperand([value], 1));
  if (nanoseconds === undefined || nanoseconds < 0n || nanoseconds >= 1n << 63n)
    throw typeError('operand 3 could not convert time_ns value into a unix timestamp');
  return new Date(Number(nanoseconds / 1_000_000n)).toISOString().replace(/[-:]|\.\d{3}/g, '');
}

function bodyOf(request: RegoObject): string {
  const [raw, body] = [request.get('raw_body'), request.get('body')];
  if (raw !== undefined) return textOr(raw, '');
  return body === undefined ? '' : jsonText(body, true);
}

/** The fields that a request to `http.send` can have. */
const PARAMETERS: ReadonlySet<Value> = new Set([
  'method',
  'url',
  'body',
  'enable_redirect',
  'force_json_decode',
  'force_yaml_decode',
  'headers',
  'raw_body',
  'tls_use_system_certs',
  'tls_ca_cert',
  'tls_ca_cert_file',
  'tls_ca_cert_env_variable',
  'tls_client_cert',
  'tls_client_cert_file',
  'tls_client_cert_env_variable',
  'tls_client_key',
  'tls_client_key_file',
  'tls_client_key_env_variable',
  'tls_insecure_skip_verify',
  'tls_server_name',
  'timeout',
  'cache',
  'force_cache',
  'force_cache_duration_seconds',
  'raise_error',
  'caching_mode',
  'max_retry_attempts',
  'cache_ignored_headers',
]);

interface Request {
  readonly method: string;
  readonly url: Url;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
}

function readRequest(request: RegoObject): Request {
  const unknown = request.keys().filter((key) => !PARAMETERS.has(key));
  if (unknown.length > 0)
    throw typeError(`operand 1 invalid request parameters(s): ${valueText(new RegoSet(unknown))}`);
  const absent = listed(['method', 'url'].filter((name) => !request.has(name)));
  if (absent !== undefined) throw typeError(`operand 1 missing required request parameters(s): ${absent}`);
  const headers = request.get('headers') ?? new RegoObject();
  if (!(headers instanceof RegoObject)) throw operandError(0, 'object', headers);
  const wrong = listed(['method', 'url'].filter((name) => typeof request.get(name) !== 'string'));
  if (wrong !== undefined) throw typeError(`operand 1 invalid values for required request parameters(s): ${wrong}`);
  return {
    method: String(request.get('method')),
    url: readUrl(String(request.get('url'))),
    headers: new Map(headers.entries().map(([name, value]) => [textOr(name, ''), textOr(value, '')])),
    body: bodyOf(request),
  };
}

interface Url {
  readonly host: string;
  readonly path: string;
  readonly query: string;
}

/** Returns the parts of a URL as they are written. Characters that a path cannot contain are escaped. */
function readUrl(text: string): Url {
  if (/[\u0000-\u001f\u007f]/.test(text)) throw new BuiltinError('net/url: invalid control character in URL');
  const [, authority = '', path = '', query = ''] =
    /^(?:[a-z][a-z0-9+.-]*:)?(?:\/\/([^/?#]*))?([^?#]*)(?:\?([^#]*))?/i.exec(text) ?? [];
  const escaped = path.replace(/%(?![0-9a-f]{2})|[^!$%&'()*+,\-./\w:;=@[\]~]+/gi, encodeURIComponent);
  return { host: authority.slice(authority.lastIndexOf('@') + 1), path: escaped, query };
}

/** Headers that a proxy may change are not signed. */
const UNSIGNED: ReadonlySet<string> = new Set(['authorization', 'user-agent', 'x-amzn-trace-id']);

/** Signs a request object of the form that `http.send` accepts, with AWS Signature Version 4. */
function signRequest(args: readonly Value[]): Value {
  const object = objectOperand(args, 1);
  const options = objectOperand([args[1] as Value], 1);
  const config = readConfig(options);
  const date = amzDate(args[2] as Value);
  const request = readRequest(object);
  const disabled = options.get('disable_payload_signing') ?? false;
  if (typeof disabled !== 'boolean')
    throw typeError("operand 2 invalid value for 'disable_payload_signing' in AWS config");
  const payload = disabled ? 'UNSIGNED-PAYLOAD' : sha256(request.body);
  const added = new Map([
    ['host', request.url.host],
    ['x-amz-date', date],
  ]);
  if (config.service === 's3' || config.service === 'glacier') added.set('x-amz-content-sha256', payload);
  if (config.session !== '') added.set('x-amz-security-token', config.session);
  const signed = new Map(added);
  for (const [name, value] of request.headers)
    if (!UNSIGNED.has(name.toLowerCase())) signed.set(name.toLowerCase(), value);
  const signature = authorization({ request, signed, payload, date }, config);
  const headers = new RegoObject([...request.headers, ['Authorization', signature], ...added]);
  return new RegoObject([...object.entries(), ['headers', headers]]);
}

interface Signing {
  readonly request: Request;
  /** Headers by their lower-case names. */
  readonly signed: ReadonlyMap<string, string>;
  readonly payload: string;
  readonly date: string;
}

function authorization({ request, signed, payload, date }: Signing, config: Config): string {
  const headers = [...signed].sort(([a], [b]) => compareStrings(a, b));
  const names = headers.map(([name]) => name).join(';');
  const canonical = [
    request.method,
    request.url.path,
    request.url.query,
    ...headers.map(([name, value]) => `${name}:${value}`),
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
