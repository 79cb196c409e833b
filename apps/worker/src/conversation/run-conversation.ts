import { newId, type Clock, type JsonObject } from '@app/kernel';
import { MAX_RESPONSE_BYTES, reportableData, reportableText } from '../control-plane/reportable.js';
import type { Redactor } from '../redaction/secrets.js';
import type { Conversation, History, NewMessage } from './conversation.js';

/** Maximum messages and bytes of one request. The control plane accepts 10 MiB. */
const MAX_BATCH_MESSAGES = 500;
const MAX_BATCH_BYTES = 4 * 1_048_576;

export interface RunConversationOptions {
  readonly redactor: Redactor;
  readonly clock: Clock;
  /** Stores a batch and retries where needed. If it rejects, nothing more is stored. */
  readonly store: (messages: readonly JsonObject[]) => Promise<void>;
  /** Whether messages are stored during the run; if false, only by `flush`. */
  readonly isSavedAsItGoes: boolean;
}

/** The conversation of a run: stores its messages in order, one request at a time. */
export class RunConversation implements Conversation {
  private readonly queue: JsonObject[] = [];
  private attached: JsonObject[] = [];
  private running: Promise<void> | null = null;
  private failure: { readonly error: unknown } | null = null;

  constructor(
    readonly history: History,
    private readonly options: RunConversationOptions,
  ) {}

  append(messages: readonly (NewMessage | JsonObject)[]): void {
    if (this.failure !== null) return;
    const all = [...this.attached, ...messages].map((message) => this.storable({ ...message }));
    this.attached = [];
    this.queue.push(...all);
    if (this.options.isSavedAsItGoes) this.running ??= this.drain();
  }

  attach(messages: readonly JsonObject[]): void {
    this.attached.push(...messages);
  }

  /** Resolves when all messages are stored. Rejects with the first failure, after which nothing is stored. */
  async flush(): Promise<void> {
    this.running ??= this.drain();
    await this.running;
    if (this.failure !== null) throw this.failure.error;
  }

  private storable(message: JsonObject): JsonObject {
    const timestamp = this.options.clock.now().toISOString();
    const { content, ...others } = reportableData(
      this.options.redactor.redactObject({ message_id: newId(), timestamp, ...message }),
    );
    return { ...others, content: reportableText(String(content), MAX_RESPONSE_BYTES) };
  }

  private async drain(): Promise<void> {
    // Lets the caller append more in the same turn.
    await Promise.resolve();
    try {
      while (this.queue.length > 0 && this.failure === null) await this.options.store(this.nextBatch());
    } catch (error) {
      this.failure = { error };
      this.queue.length = 0;
    } finally {
      this.running = null;
    }
  }

  private nextBatch(): JsonObject[] {
    let bytes = 0;
    let count = 0;
    for (const message of this.queue.slice(0, MAX_BATCH_MESSAGES)) {
      bytes += Buffer.byteLength(JSON.stringify(message));
      if (count > 0 && bytes > MAX_BATCH_BYTES) break;
      count += 1;
    }
    return this.queue.splice(0, count);
  }
}
