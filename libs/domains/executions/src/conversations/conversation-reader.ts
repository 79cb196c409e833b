import type { HistoryPage } from '@app/events';
import type { Scope } from '@app/kernel';
import type { ConversationPosition, PositionedMessage, SessionRepository } from './session.repository.js';

/**
 * Reads a conversation once, in parts of about 1 MiB. Each part continues after the position of the last returned
 * message. If the worker replaces the stored messages meanwhile, the reader returns the changed ones, and misses none.
 */
export class ConversationReader {
  private position: ConversationPosition = { stored: '0', sent: null };
  /**
   * Ids of the sent messages that were returned. The worker may store them afterwards, which gives them a new position.
   */
  private readonly returned = new Set<unknown>();

  constructor(
    private readonly sessions: SessionRepository,
    private readonly scope: Scope,
    private readonly executionId: string,
  ) {}

  /** Returns the next part. `complete` is set on the last one, which can be empty. */
  async next(): Promise<HistoryPage> {
    const { rows, complete } = await this.sessions.conversationAfter(this.scope, this.executionId, this.position);
    const fresh = rows.filter(
      ({ position, message }) => position === null || !this.returned.has(message['message_id']),
    );
    for (const row of rows) this.pass(row);
    return { messages: fresh.map(({ message }) => message), complete };
  }

  private pass({ position, sent_at: at, sent_id: id }: PositionedMessage): void {
    if (position !== null) this.position = { ...this.position, stored: position };
    if (at === null || id === null) return;
    this.position = { ...this.position, sent: { at, id } };
    this.returned.add(id);
  }
}
