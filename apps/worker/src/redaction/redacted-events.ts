import type { JsonObject } from '@app/kernel';
import { isTextChunk } from '../events/event-publisher.js';
import { NO_HELD_TEXT, type HeldText, type Redactor } from './secrets.js';

/** A streamed text whose end is withheld. */
interface OpenText {
  readonly type: string;
  readonly data: JsonObject;
  readonly held: HeldText;
}

/**
 * Redacts secrets in events before they are published. Clients concatenate text chunks, so a secret split over several chunks
 * must be redacted too: the end of a text that may be the start of a secret is withheld until the next chunk, or until an
 * event that is not a chunk, which ends all texts.
 */
export class RedactedEvents {
  /** By event type and message id, in the order of their first chunks. */
  private readonly openTexts = new Map<string, OpenText>();

  constructor(
    private readonly redactor: Redactor,
    private readonly publishRedacted: (type: string, data: JsonObject) => void,
  ) {}

  publish(type: string, data: JsonObject): void {
    if (isTextChunk(type) && typeof data['content'] === 'string') return this.publishChunk(type, data, data['content']);
    for (const text of this.openTexts.values())
      this.publishText(text.type, text.data, this.redactor.redactHeld(text.held));
    this.openTexts.clear();
    this.publishRedacted(type, this.redactor.redactObject(data));
  }

  private publishChunk(type: string, data: JsonObject, content: string): void {
    const key = `${type} ${String(data['message_id'])}`;
    const { redacted, held } = this.redactor.redactChunk(this.openTexts.get(key)?.held ?? NO_HELD_TEXT, content);
    if (held.text === '') this.openTexts.delete(key);
    else this.openTexts.set(key, { type, data, held });
    this.publishText(type, data, redacted);
  }

  private publishText(type: string, data: JsonObject, content: string): void {
    if (content !== '') this.publishRedacted(type, { ...this.redactor.redactObject(data), content });
  }
}
