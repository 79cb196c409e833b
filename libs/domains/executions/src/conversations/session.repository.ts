import { Database, rejectWrongKeys } from '@app/database';
import { decodeCursor, encodeCursor, type JsonObject, type Page, type PageResult, type Scope } from '@app/kernel';
import { Injectable } from '@nestjs/common';
import { ExecutionMessageEntity } from './execution-message.entity.js';
import { ExecutionSessionEntity } from './execution-session.entity.js';
import {
  FIND_CONVERSATION,
  FIND_CONVERSATION_AFTER,
  FIND_CONVERSATION_PAGE,
  FIND_EARLIER_MESSAGES,
  FIND_STORED,
  MEASURE_CONVERSATION,
} from './conversation.sql.js';
import { TurnRepository } from '../session-turns/turn.repository.js';
import { APPEND_MESSAGES, REPLACE_MESSAGES, SAVE_SESSION } from './session.sql.js';
import {
  MAX_MESSAGE_ID_LENGTH,
  type AppendMessages,
  type ExecutionSession,
  type SaveSession,
  type SentMessage,
} from './session.types.js';

const HISTORY_PAGE_BYTES = 1_048_576;

/** The columns of a session without its messages. */
const SUMMARY_COLUMNS = ['execution_id', 'session_id', 'user_id', 'metadata', 'created_at', 'updated_at'] as const;
type SessionSummary = Pick<ExecutionSession, (typeof SUMMARY_COLUMNS)[number]>;

export interface ConversationSize {
  readonly messages: number;
  /** Size of the sent messages that are not stored. */
  readonly sentBytes: number;
}

/** Number and size of the stored messages of a session after `append`. */
export interface StoredSize {
  readonly messages: number;
  readonly bytes: number;
  /** How many of them the call added. */
  readonly added: number;
}

/** The position of a reader in a conversation. */
export interface ConversationPosition {
  /** The position of the last stored message; `0`: none. */
  readonly stored: string;
  /** The last sent message; null: none. */
  readonly sent: { readonly at: Date; readonly id: string } | null;
}

/** A stored message has a `position`, a sent one `sent_at` and `sent_id`. */
export interface PositionedMessage {
  readonly position: string | null;
  readonly sent_at: Date | null;
  readonly sent_id: string | null;
  readonly message: JsonObject;
  readonly remaining: number;
}

interface ListedMessage {
  readonly total: number;
  readonly origin: 'stored' | 'sent' | null;
  readonly message: JsonObject;
  readonly more: boolean | null;
  readonly stored: string;
  readonly sent_at: string | null;
  readonly sent_id: string | null;
}

export interface ConversationPart {
  readonly rows: readonly PositionedMessage[];
  /** Whether these are the last messages. */
  readonly complete: boolean;
}

@Injectable()
export class SessionRepository {
  constructor(
    private readonly database: Database,
    private readonly turns: TurnRepository,
  ) {}

  /** Returns the session without its messages, see `conversation`. */
  async find({ organizationId }: Scope, executionId: string): Promise<SessionSummary | undefined> {
    const query = this.database
      .select(ExecutionSessionEntity, 'session', { organization_id: organizationId, execution_id: executionId })
      .select(SUMMARY_COLUMNS.map((column) => `session.${column}`));
    const [row] = await this.database.rows<ExecutionSessionEntity, SessionSummary>(query);
    return row;
  }

  /**
   * Absent fields keep their values. Must be called in a transaction that has locked the execution, see
   * `ExecutionFence`.
   */
  async save({ organizationId }: Scope, executionId: string, session: SaveSession, now: Date): Promise<SessionSummary> {
    const { session_id, user_id, metadata, messages } = session;
    await this.join({ organizationId }, executionId, session_id ?? null, now);
    const [row] = await this.database.sql<SessionSummary>(SAVE_SESSION, [
      organizationId,
      executionId,
      session_id ?? null,
      user_id ?? null,
      metadata === undefined ? null : JSON.stringify(metadata),
      now,
    ]);
    if (row === undefined) throw new Error('The session was not written');
    if (messages !== undefined) {
      const values = [organizationId, executionId, JSON.stringify(messages), messages.map(idOf)];
      await this.database.sql(REPLACE_MESSAGES, values);
    }
    return row;
  }

  /** Returns the stored messages, oldest first. */
  async storedMessages({ organizationId }: Scope, executionId: string): Promise<readonly JsonObject[]> {
    const rows = await this.database.sql<{ message: JsonObject }>(FIND_STORED, [organizationId, executionId]);
    return rows.map(({ message }) => message);
  }

  /**
   * Appends messages, except those whose ids are already stored. `messages` have different ids, listed in `ids`.
   */
  async append(
    { organizationId }: Scope,
    executionId: string,
    { session_id, messages }: AppendMessages,
    ids: readonly string[],
    now: Date,
  ): Promise<StoredSize> {
    await this.join({ organizationId }, executionId, session_id ?? null, now);
    const values = [organizationId, executionId, session_id ?? null, JSON.stringify(messages), ids, now];
    const [row] = await this.database.prepared<StoredSize>(APPEND_MESSAGES, values);
    if (row === undefined) throw new Error('The session was not written');
    return row;
  }

  /** Returns the newest messages of earlier executions with the same session and user, oldest first. */
  async earlierMessages(
    { organizationId }: Scope,
    executionId: string,
    sessionId: string,
    maxBytes: number,
  ): Promise<readonly JsonObject[]> {
    const values = [organizationId, executionId, sessionId, maxBytes];
    const rows = await this.database.sql<{ message: JsonObject }>(FIND_EARLIER_MESSAGES, values);
    return rows.map(({ message }) => message).reverse();
  }

  async insertMessage({ organizationId }: Scope, executionId: string, message: SentMessage, now: Date): Promise<void> {
    await this.database.insert(ExecutionMessageEntity, {
      organization_id: organizationId,
      execution_id: executionId,
      message_id: message.message_id,
      message: { ...message },
      created_at: now,
      is_stored: false,
    });
  }

  /** Returns the stored messages, then the sent ones that are not stored; oldest first. */
  async conversation({ organizationId }: Scope, executionId: string): Promise<readonly JsonObject[]> {
    const values = [organizationId, executionId];
    const rows = await this.database.sql<{ message: JsonObject }>(FIND_CONVERSATION, values);
    return rows.map(({ message }) => message);
  }

  /** Returns the conversation after a position, up to `HISTORY_PAGE_BYTES` but at least one message. */
  async conversationAfter(
    { organizationId }: Scope,
    executionId: string,
    { stored, sent }: ConversationPosition,
  ): Promise<ConversationPart> {
    const values = [organizationId, executionId, stored, sent?.at ?? null, sent?.id ?? null, HISTORY_PAGE_BYTES];
    const rows = await this.database.sql<PositionedMessage>(FIND_CONVERSATION_AFTER, values);
    return { rows, complete: rows.length === (rows[0]?.remaining ?? 0) };
  }

  /** Returns a page of the conversation. */
  async messages(scope: Scope, executionId: string, page: Page): Promise<PageResult<JsonObject>> {
    const { skip, limit, cursor } = page;
    const list = ['messages', scope.organizationId, executionId].join(':');
    const after = cursor === undefined ? [null, null, null] : decodeCursor(cursor, list, 3);
    const values = [scope.organizationId, executionId, skip, limit, ...after];
    const listed = this.database.boundedRows<ListedMessage>(limit, { text: FIND_CONVERSATION_PAGE, values });
    const rows = await (cursor === undefined ? listed : rejectWrongKeys(listed));
    const last = rows.at(-1);
    const items = rows.flatMap(({ origin, message }) => (origin === null ? [] : [message]));
    return {
      items,
      total: page.total === false ? undefined : (last?.total ?? 0),
      nextCursor: last?.more === true ? encodeCursor(list, [last.stored, last.sent_at, last.sent_id]) : undefined,
    };
  }

  /** Returns the size of the conversation. */
  async sizeOf({ organizationId }: Scope, executionId: string): Promise<ConversationSize> {
    const [row] = await this.database.sql<ConversationSize>(MEASURE_CONVERSATION, [organizationId, executionId]);
    if (row === undefined) throw new Error('The aggregate returned no row');
    return row;
  }

  /** An execution whose worker names a session is a turn of it from then on. */
  private async join(scope: Scope, executionId: string, sessionId: string | null, now: Date): Promise<void> {
    if (sessionId !== null) await this.turns.join(scope, executionId, sessionId, now);
  }
}

/**
 * Returns the id by which a message can be found; null without one. Longer ids are ignored: no request can name them,
 * and an index entry has a size limit.
 */
function idOf({ message_id: id }: JsonObject): string | null {
  return typeof id === 'string' && id.length <= MAX_MESSAGE_ID_LENGTH ? id : null;
}
