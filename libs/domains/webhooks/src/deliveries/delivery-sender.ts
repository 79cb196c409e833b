import { once } from 'node:events';
import { request as requestHttp, type IncomingMessage, type RequestOptions } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { LookupFunction } from 'node:net';
import { WebhooksConfig } from '@app/config';
import type { JsonObject } from '@app/kernel';
import { Injectable } from '@nestjs/common';
import { EgressGuard } from '../egress-guard.js';
import type { Address } from '../networks.js';
import type { AttemptResult } from './webhook-delivery.types.js';

/** A longer response is an error, because receiving it would cost resources although nobody reads it. */
const MAX_RESPONSE_BYTES = 65_536;
const KEPT_RESPONSE_BYTES = 4096;
const KEPT_HEADER_BYTES = 2048;
/** Interim responses (status 1xx) before the response. */
const MAX_INTERIM_RESPONSES = 10;
const SWITCHING_PROTOCOLS = 101;

type Response = Omit<AttemptResult, 'request_headers'>;

/**
 * Sends requests to subscribers, which may be malicious: each exchange has a time limit, whatever the subscriber sends
 * and however the connection ends; the size of the response is limited; redirects and changes of the protocol are not
 * followed. Connections are opened to addresses that were just checked, and used for one request only.
 */
@Injectable()
export class DeliverySender {
  constructor(
    private readonly egress: EgressGuard,
    private readonly config: WebhooksConfig,
  ) {}

  /** Time limit of an exchange, in milliseconds. */
  get timeoutMs(): number {
    return this.config.timeoutMs;
  }

  /** Never rejects. `error` is null if and only if a complete response with a 2xx status was received. */
  async send(url: string, headers: Readonly<Record<string, string>>, body: string): Promise<Response> {
    const startedAt = performance.now();
    const elapsed = (): number => Math.round(performance.now() - startedAt);
    const signal = AbortSignal.timeout(this.config.timeoutMs);
    try {
      const target = new URL(url);
      const destination = await withinSignal(this.egress.resolve(target.hostname), signal);
      if ('fault' in destination) return failure(`The URL ${destination.fault}`);
      const exchange = async (): Promise<Omit<Response, 'response_ms'>> =>
        readResponse(await this.open(target, destination.addresses, { headers, signal }, body));
      return { ...(await withinSignal(exchange(), signal)), response_ms: elapsed() };
    } catch (error) {
      const reason = signal.aborted ? `No complete response within ${this.config.timeoutMs} ms` : reasonOf(error);
      return { ...failure(reason), response_ms: elapsed() };
    }
  }

  private async open(
    url: URL,
    addresses: readonly [Address, ...Address[]],
    { headers, signal }: Pick<RequestOptions, 'signal'> & { readonly headers: Readonly<Record<string, string>> },
    body: string,
  ): Promise<IncomingMessage> {
    const start = url.protocol === 'https:' ? requestHttps : requestHttp;
    const length = { 'content-length': String(Buffer.byteLength(body)) };
    const options: RequestOptions = {
      method: 'POST',
      headers: { ...headers, ...length },
      agent: false,
      lookup: lookupOf(addresses),
      ...(signal === undefined ? {} : { signal }),
    };
    return new Promise((resolve, reject) => {
      const request = start(url, options, resolve);
      let interim = 0;
      request.on('information', () => {
        interim += 1;
        if (interim > MAX_INTERIM_RESPONSES) request.destroy(new Error('Too many interim responses'));
      });
      // Without a listener, Node.js destroys the request and emits neither a response nor an error.
      request.on('upgrade', (response, socket) => {
        socket.destroy();
        resolve(response);
      });
      request.on('error', reject);
      request.on('close', () => reject(new Error('The connection was closed without a response')));
      request.end(body);
    });
  }
}

/** Rejects when the signal is aborted, for work that cannot be aborted itself, such as the look-up of a name. */
async function withinSignal<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const settled = new AbortController();
  const aborted = once(signal, 'abort', { signal: settled.signal }).then((): never => {
    throw signal.reason;
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    settled.abort();
  }
}

/**
 * Returns a look-up that resolves every name to the addresses that were checked. A new look-up could return other
 * addresses, which were not checked.
 */
function lookupOf(addresses: readonly [Address, ...Address[]]): LookupFunction {
  return (_hostname, options, callback) => {
    if (options.all === true) callback(null, [...addresses]);
    else callback(null, addresses[0].address, addresses[0].family);
  };
}

async function readResponse(response: IncomingMessage): Promise<Omit<Response, 'response_ms'>> {
  const status = response.statusCode ?? 0;
  const head = { response_status: status, response_headers: keptHeaders(response) };
  // Nothing more can be read from an upgraded connection.
  if (status === SWITCHING_PROTOCOLS) {
    return { ...head, response_body: null, error: `Status ${status}: the protocol is not changed` };
  }
  const kept: Buffer[] = [];
  let keptBytes = 0;
  let bytes = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    const part = chunk.subarray(0, KEPT_RESPONSE_BYTES - keptBytes);
    kept.push(part);
    keptBytes += part.length;
    // Leaving the loop destroys the connection.
    if (bytes > MAX_RESPONSE_BYTES) break;
  }
  // PostgreSQL cannot store NUL.
  const response_body = Buffer.concat(kept).toString('utf8').replaceAll('\0', '\uFFFD');
  const error = bytes > MAX_RESPONSE_BYTES ? `The response exceeds ${MAX_RESPONSE_BYTES} bytes` : errorOf(status);
  return { ...head, response_body, error };
}

/** Returns the headers by lower-case name, `retry-after` first; none beyond `KEPT_HEADER_BYTES`. */
function keptHeaders({ headers }: IncomingMessage): JsonObject {
  const { 'retry-after': retryAfter, ...others } = headers;
  const kept: [string, string][] = [];
  let bytes = 0;
  for (const [name, value = []] of Object.entries({ 'retry-after': retryAfter, ...others })) {
    const text = [value].flat().join(', ');
    const size = name.length + text.length;
    if (value.length === 0 || bytes + size > KEPT_HEADER_BYTES) continue;
    bytes += size;
    kept.push([name, text]);
  }
  return Object.fromEntries(kept);
}

function errorOf(status: number): string | null {
  if (status >= 200 && status < 300) return null;
  return status >= 300 && status < 400 ? `Status ${status}: redirects are not followed` : `Status ${status}`;
}

function failure(error: string): Response {
  return { response_status: null, response_ms: null, response_headers: null, response_body: null, error };
}

/**
 * Returns the code of an error, or its message if it has no code. If the connections to several addresses failed, the
 * message is empty.
 */
function reasonOf(error: unknown): string {
  const { message, code } = error as NodeJS.ErrnoException;
  return code ?? message;
}
