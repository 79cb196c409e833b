import { parseExactJson } from '@app/kernel';
import { checkContract } from './published-apis.js';
import { recordSecretsIn, recordSecretsOf, recordSecretsOfRequest } from './run-record.js';

export interface HttpResponse {
  readonly status: number;
  readonly headers: Headers;
  /** Parsed JSON, or the text if it is not JSON. */
  readonly body: unknown;
}

export interface CallOptions {
  readonly key?: string;
  /** Default `Bearer`. */
  readonly scheme?: string;
  readonly body?: unknown;
  /** Sent unchanged instead of `body`. */
  readonly raw?: string | Uint8Array;
  readonly headers?: Readonly<Record<string, string>>;
  /** Parses the response without rounding numbers. */
  readonly exactNumbers?: boolean;
  /** Does not check the response against the contract, which documents no 500. */
  readonly unchecked?: boolean;
}

/** Sends a request without the typed client, which cannot send invalid ones. Checks the response against the contract. */
export async function call(method: string, url: string, options: CallOptions = {}): Promise<HttpResponse> {
  const { key, scheme = 'Bearer', body, raw, headers } = options;
  const sent = new Headers({
    ...(key === undefined ? {} : { Authorization: `${scheme} ${key}` }),
    ...(body === undefined && raw === undefined ? {} : { 'Content-Type': 'application/json' }),
    ...headers,
  });
  recordSecretsOf(sent);
  recordSecretsOfRequest(url, body);
  const response = await fetch(url, {
    method,
    headers: sent,
    redirect: 'manual',
    body: (raw as string | undefined) ?? (body === undefined ? null : JSON.stringify(body)),
  });
  const text = await response.text();
  const received = { status: response.status, headers: response.headers, body: parse(text) };
  recordSecretsIn(received.body);
  if (options.unchecked !== true) checkContract(method, url, received);
  return options.exactNumbers === true ? { ...received, body: parseExactJson(text) } : received;
}

function parse(text: string): unknown {
  try {
    return text === '' ? undefined : JSON.parse(text);
  } catch {
    return text;
  }
}
