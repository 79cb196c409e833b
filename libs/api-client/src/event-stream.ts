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

/** What a connection begins with, before any event of the log. These frames have no id. */
const OPENING: ReadonlySet<string> = new Set(['connected', 'message', 'history_complete']);

/**
 * The events of an execution, until it is done. A broken connection is opened again after the last event received, so
 * the caller sees each event once and in order, the opening with the stored messages included; what the server no longer
 * has it says with a `gap_detected` event.
 */
export async function* streamEvents(executionId: string, options: StreamOptions): AsyncGenerator<StreamedEvent, void> {
  let lastEventId = options.lastEventId;
  const opening = new OpeningOnce();
  for (let failures = 0; ;) {
    let done = false;
    opening.begin();
    try {
      for await (const event of openStream(executionId, options, lastEventId)) {
        failures = 0;
        lastEventId = event.id ?? lastEventId;
        // A worker may publish a `done` of its own; the server's is the one after which it closes.
        done = event.event === 'done';
        if (!opening.isRepeated(event)) yield event;
      }
    } catch (error) {
      if (error instanceof StreamRefused || options.signal?.aborted === true) throw error;
    }
    if (done) return;
    failures += 1;
    await pause(backoff(failures, DEFAULT_RETRIES.baseDelayMs, DEFAULT_RETRIES.maxDelayMs), options.signal);
  }
}

/** Tells which frames of an opening the caller has from an earlier connection, which may have broken amid it. */
class OpeningOnce {
  private place = 0;
  private seen = 0;

  /** A connection is opened. */
  begin(): void {
    this.place = 0;
  }

  isRepeated({ id, event }: StreamedEvent): boolean {
    if (id !== undefined || !OPENING.has(event)) return false;
    this.place += 1;
    if (this.place <= this.seen) return true;
    this.seen = event === 'history_complete' ? Infinity : this.place;
    return false;
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
