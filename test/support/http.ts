import { checkContract } from './published-apis.js';

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  /** Parsed JSON, or the text where it is none. */
  readonly body: unknown;
}

export interface CallOptions {
  readonly key?: string;
  /** Bearer unless said otherwise. */
  readonly scheme?: string;
  readonly body?: unknown;
  /** Sent as it is, instead of `body`. */
  readonly raw?: string | Uint8Array;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A bare request, for tests of the wire itself, where a typed client would not let a wrong thing pass. */
export async function call(method: string, url: string, options: CallOptions = {}): Promise<Answer> {
  const { key, scheme = 'Bearer', body, raw, headers } = options;
  const response = await fetch(url, {
    method,
    headers: {
      ...(key === undefined ? {} : { Authorization: `${scheme} ${key}` }),
      ...(body === undefined && raw === undefined ? {} : { 'Content-Type': 'application/json' }),
      ...headers,
    },
    redirect: 'manual',
    body: (raw as string | undefined) ?? (body === undefined ? null : JSON.stringify(body)),
  });
  const text = await response.text();
  const answer = { status: response.status, headers: response.headers, body: parse(text) };
  checkContract(method, url, answer);
  return answer;
}

function parse(text: string): unknown {
  try {
    return text === '' ? undefined : JSON.parse(text);
  } catch {
    return text;
  }
}
