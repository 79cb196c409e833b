import { createParser } from 'eventsource-parser';
import { backoff, pause } from './retry.js';
import { DEFAULT_RETRIES } from './retrying-fetch.js';

export interface StreamedEvent {
  /** `{execution_id}_{counter}_{unix_micros}`; absent for frames that are no kept events (`connected`, …). */
  readonly id: string | undefined;
  readonly event: string;
  readonly data: Record<string, unknown>;
}

export interface StreamOptions {
  /** The API that serves the stream, without a trailing slash. */
  readonly baseUrl: string;
  /** The whole Authorization header: `Bearer <key>` or `UserKey <key>`. */
  readonly authorization: string;
  /** Continue after this event. */
  readonly lastEventId?: string;
  readonly signal?: AbortSignal;
}

/** A refusal that repeating will not change: no such execution, no right to read it. */
export class StreamRefused extends Error {
  constructor(
    readonly status: number,
    body: string,
  ) {
    super(`The event stream was refused with ${status}: ${body}`);
    this.name = 'StreamRefused';
  }
}

/**
 * The events of an execution, until it is done. A broken connection is opened again after the last event received, so
 * the caller sees each event once and in order; what the server no longer has it says with a `gap_detected` event.
 */
export async function* streamEvents(executionId: string, options: StreamOptions): AsyncGenerator<StreamedEvent, void> {
  let lastEventId = options.lastEventId;
  for (let failures = 0; ;) {
    let done = false;
    try {
      for await (const event of openStream(executionId, options, lastEventId)) {
        failures = 0;
        lastEventId = event.id ?? lastEventId;
        // A worker may publish a `done` of its own; the server's is the one after which it closes.
        done = event.event === 'done';
        yield event;
      }
    } catch (error) {
      if (error instanceof StreamRefused || options.signal?.aborted === true) throw error;
    }
    if (done) return;
    failures += 1;
    await pause(backoff(failures, DEFAULT_RETRIES.baseDelayMs, DEFAULT_RETRIES.maxDelayMs), options.signal);
  }
}

async function* openStream(
  executionId: string,
  options: StreamOptions,
  lastEventId?: string,
): AsyncGenerator<StreamedEvent, void> {
  const url = `${options.baseUrl}/api/v1/executions/${encodeURIComponent(executionId)}/stream`;
  const response = await fetch(url, {
    headers: {
      Accept: 'text/event-stream',
      Authorization: options.authorization,
      ...(lastEventId === undefined ? {} : { 'Last-Event-ID': lastEventId }),
    },
    signal: options.signal ?? null,
  });
  if (!response.ok || response.body === null) await refuse(response);
  const received: StreamedEvent[] = [];
  const parser = createParser({
    onEvent: ({ id, event, data }) =>
      received.push({ id, event: event ?? 'message', data: JSON.parse(data) as Record<string, unknown> }),
  });
  const decoder = new TextDecoder();
  for await (const bytes of response.body ?? []) {
    parser.feed(decoder.decode(bytes as Uint8Array, { stream: true }));
    yield* received.splice(0);
  }
}

async function refuse(response: Response): Promise<never> {
  const body = await response.text();
  if (response.status >= 500 || response.status === 429)
    throw new Error(`The event stream answered ${response.status}`);
  throw new StreamRefused(response.status, body);
}
