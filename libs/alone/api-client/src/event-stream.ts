import { createParser } from 'eventsource-parser';
import { errorCodeOf, isTransient } from './error-code.js';
import { parseWithBigInts } from './exact-numbers.js';
import type { StreamedEvent } from './event-types.js';
import { backoff, MAX_RETRY_AFTER_MS, parseRetryAfter, pause } from './retry.js';
import { DEFAULT_RETRIES } from './retrying-fetch.js';

/** The whole Authorization header, `Bearer <key>` or `UserKey <key>`, or the ticket of this stream. */
export type StreamCredential =
  | { readonly authorization: string; readonly ticket?: never }
  | { readonly ticket: string; readonly authorization?: never };

export type StreamOptions = StreamCredential & {
  /** The API that serves the stream, without a trailing slash. */
  readonly baseUrl: string;
  /** The id of the last received event; the stream continues after it. */
  readonly lastEventId?: string;
  readonly signal?: AbortSignal;
  /** Integers of events beyond 2^53 are `bigint`s. Default: false, which rounds them as `JSON.parse` does. */
  readonly exactNumbers?: boolean;
};

/**
 * Returns the URL of the event stream of an execution. With a ticket, an `EventSource` can open it, which sends no
 * headers.
 */
export function streamUrl(baseUrl: string, executionId: string, ticket?: string): string {
  const url = `${baseUrl}/api/v1/executions/${encodeURIComponent(executionId)}/stream`;
  return ticket === undefined ? url : `${url}?ticket=${encodeURIComponent(ticket)}`;
}

/**
 * The stream cannot be opened: the execution does not exist, the key may not read it, or the `Retry-After` of the
 * response exceeds a minute.
 */
export class StreamRefused extends Error {
  constructor(
    readonly status: number,
    /** The `X-Error-Code`; `null` where the response has none. */
    readonly code: string | null,
    /** The `Retry-After` of the response; `null` where it has none. */
    readonly retryAfterSeconds: number | null,
    body: string,
  ) {
    const later = retryAfterSeconds === null ? '' : ` (retry after ${retryAfterSeconds} s)`;
    super(`The event stream was rejected with ${status}${later}: ${body}`);
    this.name = 'StreamRefused';
  }
}

/** A failure that is retried. */
class StreamUnavailable extends Error {
  constructor(
    status: number,
    /** The `Retry-After` of the response, in milliseconds. */
    readonly retryAfterMs: number,
  ) {
    super(`The event stream responded with ${status}`);
    this.name = 'StreamUnavailable';
  }
}

/** The frames at the start of each connection, before any event of the log. They have no id. */
const OPENING: ReadonlySet<string> = new Set(['connected', 'message', 'history_complete']);

/**
 * Yields the events of an execution until it has ended. A broken connection is opened again after the last received
 * event, so the caller receives each event once and in order, including the stored messages at the beginning. If the
 * server no longer has some events, it sends a `gap_detected` event instead of them. Respects a `Retry-After` of up to
 * a minute. `Own` are types of events of other publishers, each with its data. Nothing is checked at run time.
 */
export async function* streamEvents<Own = unknown>(
  executionId: string,
  options: StreamOptions,
): AsyncGenerator<StreamedEvent<Own>, void> {
  let lastEventId = options.lastEventId;
  const repetitions = new RepetitionFilter();
  for (let failures = 0; ;) {
    let retryAfterMs = 0;
    repetitions.begin();
    try {
      let done = false;
      for await (const event of openStream(executionId, options, lastEventId)) {
        failures = 0;
        lastEventId = event.id ?? lastEventId;
        done = event.event === 'done';
        if (!repetitions.isRepeated(event)) yield event as StreamedEvent<Own>;
      }
      // A worker can publish a `done` as well. The end is a `done` after which the server ends the response; if the
      // connection breaks instead, events can follow.
      if (done) return;
    } catch (error) {
      if (error instanceof StreamRefused || options.signal?.aborted === true) throw error;
      if (error instanceof StreamUnavailable) ({ retryAfterMs } = error);
    }
    failures += 1;
    await pause(Math.max(retryAfterMs, backoff(failures, DEFAULT_RETRIES)), options.signal);
  }
}

/**
 * Recognizes frames without an id that the caller has received on an earlier connection: opening frames, even if that
 * connection broke between them, and the `done` that the server adds if a connection resumes after the last `done`.
 */
class RepetitionFilter {
  private position = 0;
  private deliveredCount = 0;
  private isDoneDelivered = false;

  /** Must be called for each new connection. */
  begin(): void {
    this.position = 0;
  }

  isRepeated({ id, event }: StreamedEvent): boolean {
    if (id !== undefined || !OPENING.has(event)) return this.isRepeatedDone(id, event);
    this.position += 1;
    if (this.position <= this.deliveredCount) return true;
    this.deliveredCount = event === 'history_complete' ? Infinity : this.position;
    return false;
  }

  private isRepeatedDone(id: string | undefined, event: string): boolean {
    const isRepeated = id === undefined && event === 'done' && this.isDoneDelivered;
    this.isDoneDelivered = event === 'done';
    return isRepeated;
  }
}

async function* openStream(
  executionId: string,
  options: StreamOptions,
  lastEventId?: string,
): AsyncGenerator<StreamedEvent, void> {
  const response = await fetch(streamUrl(options.baseUrl, executionId, options.ticket), {
    headers: {
      Accept: 'text/event-stream',
      ...(options.authorization === undefined ? {} : { Authorization: options.authorization }),
      ...(lastEventId === undefined ? {} : { 'Last-Event-ID': lastEventId }),
    },
    signal: options.signal ?? null,
  });
  if (!response.ok || response.body === null) await throwRefusal(response);
  const received: StreamedEvent[] = [];
  const parse = options.exactNumbers === true ? parseWithBigInts : JSON.parse;
  const parser = createParser({
    onEvent: ({ id, event, data }) =>
      received.push({ id, event: event ?? 'message', data: parse(data) } as StreamedEvent),
  });
  const decoder = new TextDecoder();
  for await (const bytes of chunksOf(response.body)) {
    parser.feed(decoder.decode(bytes, { stream: true }));
    yield* received.splice(0);
  }
}

/**
 * Yields the chunks of a body, because not all browsers can iterate over the body itself. Closes the connection if the
 * caller stops early.
 */
async function* chunksOf(body: ReadableStream<Uint8Array> | null): AsyncGenerator<Uint8Array, void> {
  const reader = body?.getReader();
  if (reader === undefined) return;
  try {
    for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read()) yield chunk.value;
  } finally {
    // Rejects with the error of a broken connection, which the read above has thrown.
    await reader.cancel().catch(() => undefined);
  }
}

/** Throws a StreamUnavailable if the request can be retried within a minute, otherwise a StreamRefused. */
async function throwRefusal(response: Response): Promise<never> {
  const [code, body] = [errorCodeOf(response), await response.text()];
  const retryAfterMs = parseRetryAfter(response.headers.get('retry-after'), Date.now());
  // Reading is idempotent, so 5xx responses that other requests do not retry are retried here.
  const isRetryable = response.status >= 500 || isTransient(response.status, code);
  if (isRetryable && (retryAfterMs ?? 0) <= MAX_RETRY_AFTER_MS) {
    throw new StreamUnavailable(response.status, retryAfterMs ?? 0);
  }
  throw new StreamRefused(response.status, code, retryAfterMs === null ? null : Math.ceil(retryAfterMs / 1000), body);
}
