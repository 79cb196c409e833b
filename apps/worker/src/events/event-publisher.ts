import { endsInHalf, type Clock, type JsonObject } from '@app/kernel';
import type { ExecutionEvent } from '../control-plane/control-plane.port.js';

/** Event types whose `content` is a chunk of a text. Consecutive chunks of one message may be merged. */
const CHUNK_TYPES: ReadonlySet<string> = new Set(['message_chunk', 'member_message_chunk', 'thinking_delta']);

export function isTextChunk(type: string): boolean {
  return CHUNK_TYPES.has(type);
}

/** Maximum `content` of a merged event; keeps the request far below the size limit of the control plane. */
const MAX_CONTENT_LENGTH = 32_768;

interface QueuedEvent {
  readonly type: string;
  readonly timestamp: string;
  data: JsonObject;
}

export interface EventPublisherOptions {
  /** Minimum time between two chunks of a text, in milliseconds; chunks that arrive in between are merged. */
  readonly windowMs: number;
  readonly clock: Clock;
  /** Sends one event and retries where needed. If it rejects, the publisher stops. */
  readonly send: (event: ExecutionEvent) => Promise<void>;
}

/**
 * Publishes the events of one execution in order, one request at a time. Queued chunks of one message are merged, so a
 * fast model or a slow network leads to larger events instead of more events.
 */
export class EventPublisher {
  private readonly queue: QueuedEvent[] = [];
  /**
   * Chunks with half a character, by message: models cut texts anywhere, and the control plane cannot store a half. They
   * wait for the next chunk of their message.
   */
  private readonly halves = new Map<string, { readonly type: string; readonly data: JsonObject }>();
  private running: Promise<void> | null = null;
  private failure: { readonly error: unknown } | null = null;
  private nextChunkAt = 0;
  private isFlushing = false;
  private wake: (() => void) | null = null;

  constructor(private readonly options: EventPublisherOptions) {}

  /** Queues an event; does nothing after a failure or `close`. */
  publish(type: string, data: JsonObject): void {
    if (this.failure !== null) return;
    const whole = isTextChunk(type) ? this.wholeCharacters(type, data) : data;
    if (whole !== undefined) this.enqueue(type, whole);
  }

  /** Resolves when all queued events are published. Rejects with the failure that stopped the publisher. */
  async flush(): Promise<void> {
    for (const { type, data } of this.halves.values()) this.enqueue(type, data);
    this.halves.clear();
    this.isFlushing = true;
    this.wake?.();
    await this.running;
    this.isFlushing = false;
    if (this.failure !== null) throw this.failure.error;
  }

  /** Drops the queued events and stops the publisher; `flush` rejects with the reason. */
  close(reason: Error): void {
    this.failure ??= { error: reason };
    this.queue.length = 0;
    this.wake?.();
  }

  private enqueue(type: string, data: JsonObject): void {
    if (!this.mergeIntoQueued(type, data)) {
      this.queue.push({ type, data, timestamp: this.options.clock.now().toISOString() });
      this.wake?.();
    }
    this.running ??= this.drain();
  }

  /**
   * Returns the chunk with the half that waited for it, and without a half at its end, which waits instead; undefined if
   * there is nothing else.
   */
  private wholeCharacters(type: string, data: JsonObject): JsonObject | undefined {
    const message = `${type} ${String(data['message_id'])}`;
    const waiting = this.halves.get(message);
    const content = contentOf(waiting?.data ?? {}) + contentOf(data);
    if (!endsInHalf(content)) {
      this.halves.delete(message);
      return waiting === undefined ? data : { ...data, content };
    }
    this.halves.set(message, { type, data: { ...data, content: content.slice(-1) } });
    return content.length === 1 ? undefined : { ...data, content: content.slice(0, -1) };
  }

  /**
   * Chunks of other messages may lie between them: a run that calls several agents at once streams several messages.
   */
  private mergeIntoQueued(type: string, data: JsonObject): boolean {
    if (!isTextChunk(type)) return false;
    const isSame = (queued: QueuedEvent): boolean =>
      queued.type === type && queued.data['message_id'] === data['message_id'];
    const last = this.queue.findLast((queued) => isSame(queued) || !isTextChunk(queued.type));
    if (last === undefined || !isSame(last)) return false;
    const content = contentOf(last.data) + contentOf(data);
    if (content.length > MAX_CONTENT_LENGTH) return false;
    last.data = { ...last.data, content };
    return true;
  }

  private async drain(): Promise<void> {
    // Lets the caller queue more events in the same turn, so that they can be merged.
    await Promise.resolve();
    try {
      for (let head = this.queue[0]; head !== undefined; head = this.queue[0]) {
        if (isTextChunk(head.type)) await this.waitForWindow();
        if (this.failure !== null) break;
        this.queue.shift();
        await this.options.send({ event_type: head.type, data: head.data, timestamp: head.timestamp });
        if (isTextChunk(head.type)) this.nextChunkAt = this.options.clock.millis() + this.options.windowMs;
      }
    } catch (error) {
      this.failure ??= { error };
      this.queue.length = 0;
    } finally {
      this.running = null;
    }
  }

  /** Waits until the window is over, another event is queued behind the chunk, or the queue is flushed or closed. */
  private async waitForWindow(): Promise<void> {
    while (this.queue.length === 1 && !this.isFlushing && this.failure === null) {
      const delay = this.nextChunkAt - this.options.clock.millis();
      if (delay <= 0) return;
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, delay);
        this.wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
      this.wake = null;
    }
  }
}

function contentOf(data: JsonObject): string {
  return typeof data['content'] === 'string' ? data['content'] : '';
}
