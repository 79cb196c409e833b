import { appendFileSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Records the secrets that tests send and receive, and the output of the applications they start. At the end of the run
 * `npm test` searches the output for the secrets (`tools/test/leaked-secrets.ts`). Without `npm test` nothing is
 * recorded.
 */
const FOLDER = process.env['TEST_RECORD_FOLDER'];
const SECRETS = FOLDER === undefined ? undefined : join(FOLDER, `${process.pid}.secrets`);
const SECRET_NAME = /(^|_)(key|secret|token|password)$/i;
/** Objects whose values may all be secrets. */
const SECRET_VALUES: ReadonlySet<string> = new Set(['env', 'env_vars', 'headers']);

const known = new Set<string>();
let outputs = 0;

export function recordSecret(value: unknown): void {
  if (SECRETS === undefined || typeof value !== 'string' || known.has(value)) return;
  known.add(value);
  appendFileSync(SECRETS, `${JSON.stringify(value)}\n`);
}

/**
 * Records, at any depth, the values of all properties with the name of a secret, such as `webhook_secret` or `key`, and
 * all values of variables and of headers for MCP servers, regardless of their names.
 */
export function recordSecretsIn(value: unknown): void {
  if (SECRETS === undefined || typeof value !== 'object' || value === null) return;
  for (const [name, child] of Object.entries(value)) {
    if (name === 'webhook_url' && typeof child === 'string') recordSecret(child.split('/').at(-1));
    else if (SECRET_NAME.test(name) && !isAttribute(value)) recordSecret(child);
    else if (SECRET_VALUES.has(name)) for (const one of Object.values(Object(child) as object)) recordValue(one);
    recordSecretsIn(child);
  }
}

/** Whether an object is an attribute of OpenTelemetry, whose `key` is a name. */
function isAttribute(value: object): boolean {
  return 'key' in value && 'value' in value && typeof value.value === 'object';
}

/** Records the value of a variable or header, unless it only names a stored secret. */
function recordValue(value: unknown): void {
  if (typeof value === 'string' && !value.startsWith('secret:')) recordSecret(value);
}

/** Records the secrets of a request body, including the value of a secret that the request stores. */
export function recordSecretsOfRequest(url: string, body: unknown): void {
  recordSecretsIn(body);
  const isSecret = new URL(url).pathname.startsWith('/api/v1/secrets');
  if (isSecret && typeof body === 'object' && body !== null && 'value' in body) recordSecret(body.value);
}

/** Records the credentials of a request: its API key, its lease token, its signature. */
export function recordSecretsOf(headers: Headers): void {
  recordSecret(headers.get('authorization')?.split(' ').at(-1));
  for (const name of ['x-lease-token', 'x-webhook-signature', 'webhook-signature']) recordSecret(headers.get(name));
}

/** Returns a function that records the output of one process. */
export function outputRecorder(): (chunk: Uint8Array) => void {
  if (FOLDER === undefined) return () => undefined;
  outputs += 1;
  const file = openSync(join(FOLDER, `${process.pid}-${outputs}.output`), 'a');
  return (chunk) => void writeSync(file, chunk);
}
