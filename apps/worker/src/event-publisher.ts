import type { Clock, JsonObject } from '@app/kernel';
import type { ExecutionEvent } from './control-plane.port.js';

/** Kinds of events that carry a piece of a text in `content`; neighbours of one message may travel as one. */
const PIECES: ReadonlySet<string> = new Set(['message_chunk', 'thinking_delta']);

export function isPiece(type: string): boolean {
  return PIECES.has(type);
}

/** Characters one coalesced event may hold; keeps it far below the limit of a request. */
const MAX_PIECE_CHARACTERS = 32_768;

interface Waiting {
  readonly type: string;
  readonly timestamp: string;
  data: JsonObject;
}

export interface EventPublisherOptions {
  /** Least time between two pieces of a text, in milliseconds: what comes in between is joined. */
  readonly windowMs: number;
  readonly clock: Clock;
  /** Sends one event; retries are its own affair. A rejection ends the publisher. */
  readonly send: (event: ExecutionEvent) => Promise<void>;
}

/**
 * Publishes the events of one execution in the order they were given, one request at a time. Pieces of one message that wait
 * behind each other are joined, so a fast model or a slow network makes larger events rather than more of them.
 */
export class EventPublisher {
  private readonly waiting: Waiting[] = [];
  private running: Promise<void> | null = null;
  private failure: { readonly error: unknown } | null = null;
  private nextPieceAt = 0;
  private hurried = false;
  private wake: (() => void) | null = null;

  constructor(private readonly options: EventPublisherOptions) {}

  publish(type: string, data: JsonObject): void {
    if (this.failure !== null) return;
    if (!this.join(type, data)) {
      this.waiting.push({ type, data, timestamp: this.options.clock.now().toISOString() });
      this.wake?.();
    }
    this.running ??= this.drain();
  }

  /** Resolves when everything given so far is published; rejects with what ended the publisher. */
  async flush(): Promise<void> {
    this.hurried = true;
    this.wake?.();
    await this.running;
    this.hurried = false;
    if (this.failure !== null) throw this.failure.error;
  }

  /** Drops what still waits; nothing is sent any more. */
  close(reason: Error): void {
    this.failure ??= { error: reason };
    this.waiting.length = 0;
    this.wake?.();
  }

  private join(type: string, data: JsonObject): boolean {
    const last = this.waiting.at(-1);
    if (last === undefined || last.type !== type || !isPiece(type)) return false;
    if (last.data['message_id'] !== data['message_id']) return false;
    const content = contentOf(last.data) + contentOf(data);
    if (content.length > MAX_PIECE_CHARACTERS) return false;
    last.data = { ...last.data, content };
    return true;
  }

  private async drain(): Promise<void> {
    // Nothing leaves in the turn of the first publish, so that what is given together can be joined.
    await Promise.resolve();
    try {
      for (let head = this.waiting[0]; head !== undefined; head = this.waiting[0]) {
        if (isPiece(head.type)) await this.untilDue();
        if (this.failure !== null) break;
        this.waiting.shift();
        await this.options.send({ event_type: head.type, data: head.data, timestamp: head.timestamp });
        if (isPiece(head.type)) this.nextPieceAt = this.options.clock.millis() + this.options.windowMs;
      }
    } catch (error) {
      this.failure ??= { error };
      this.waiting.length = 0;
    } finally {
      this.running = null;
    }
  }

  /** Waits for the window's end, or until something waits behind the piece or a flush wants it gone. */
  private async untilDue(): Promise<void> {
    while (this.waiting.length === 1 && !this.hurried && this.failure === null) {
      const rest = this.nextPieceAt - this.options.clock.millis();
      if (rest <= 0) return;
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, rest);
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
