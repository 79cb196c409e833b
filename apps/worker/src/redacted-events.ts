import type { JsonObject } from '@app/kernel';
import { isPiece } from './event-publisher.js';
import { NOTHING_HELD, type HeldBack, type Redactor } from './secrets.js';

interface OpenText {
  readonly type: string;
  readonly data: JsonObject;
  readonly held: HeldBack;
}

/**
 * Lets events through without the secrets in them. A reader puts the pieces of a text together again, so a secret must not
 * pass in pieces either: the end of a text that may be the beginning of one waits for the next piece, or for any event that
 * is not a piece, which ends every text.
 */
export class RedactedEvents {
  /** By kind and message, in the order in which they began. */
  private readonly open = new Map<string, OpenText>();

  constructor(
    private readonly redactor: Redactor,
    private readonly publishClean: (type: string, data: JsonObject) => void,
  ) {}

  publish(type: string, data: JsonObject): void {
    if (isPiece(type) && typeof data['content'] === 'string') return this.publishPiece(type, data, data['content']);
    for (const text of this.open.values()) this.publishText(text.type, text.data, this.redactor.rest(text.held));
    this.open.clear();
    this.publishClean(type, this.redactor.object(data));
  }

  private publishPiece(type: string, data: JsonObject, content: string): void {
    const key = `${type} ${String(data['message_id'])}`;
    const { shown, held } = this.redactor.piece(this.open.get(key)?.held ?? NOTHING_HELD, content);
    if (held.text === '') this.open.delete(key);
    else this.open.set(key, { type, data, held });
    this.publishText(type, data, shown);
  }

  private publishText(type: string, data: JsonObject, content: string): void {
    if (content !== '') this.publishClean(type, { ...this.redactor.object(data), content });
  }
}
