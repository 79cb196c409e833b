import { Database } from '@app/database';
import type { HistoryPage } from '@app/events';
import type { JsonObject, Listed, Page, Scope } from '@app/kernel';
import { Injectable } from '@nestjs/common';
import { ExecutionMessageEntity } from './execution-message.entity.js';
import type { ExecutionSession, SaveSession, SentMessage } from './session.types.js';

export interface ConversationSize {
  readonly messages: number;
  readonly sentBytes: number;
}

@Injectable()
export class SessionRepository {
  constructor(private readonly database: Database) {}

  /** All of it but its messages, see `conversation`. */
  async find(scope: Scope, executionId: string): Promise<Omit<ExecutionSession, 'messages'> | undefined> {
    const [row] = await this.database.sql<Omit<ExecutionSession, 'messages'>>(
      `SELECT execution_id, session_id, user_id, metadata, created_at, updated_at
       FROM execution_sessions WHERE organization_id = $1 AND execution_id = $2`,
      [scope.organizationId, executionId],
    );
    return row;
  }

  /** What is not given stays as it was. */
  async save(scope: Scope, executionId: string, session: SaveSession, now: Date): Promise<ExecutionSession> {
    const [row] = await this.database.sql<ExecutionSession>(
      `INSERT INTO execution_sessions AS session
         (organization_id, execution_id, session_id, user_id, messages, message_ids, metadata, created_at, updated_at)
       VALUES ($1, $2, $3, $4, coalesce($5::json, '[]'), coalesce($8::text[], '{}'), coalesce($6::json, '{}'), $7, $7)
       ON CONFLICT (organization_id, execution_id) DO UPDATE SET
         session_id = coalesce($3, session.session_id), user_id = coalesce($4, session.user_id),
         messages = coalesce($5::json, session.messages),
         message_ids = coalesce($8::text[], session.message_ids), metadata = coalesce($6::json, session.metadata),
         updated_at = $7
       RETURNING execution_id, session_id, user_id, messages, metadata, created_at, updated_at`,
      [
        ...[scope.organizationId, executionId, session.session_id ?? null, session.user_id ?? null],
        ...[written(session.messages), written(session.metadata), now, session.messages?.flatMap(idOf) ?? null],
      ],
    );
    if (row === undefined) throw new Error('The session was not written');
    return row;
  }

  async insertMessage(scope: Scope, executionId: string, message: SentMessage, now: Date): Promise<void> {
    await this.database.insert(ExecutionMessageEntity, {
      organization_id: scope.organizationId,
      execution_id: executionId,
      message_id: message.message_id,
      message: { ...message },
      created_at: now,
    });
  }

  /** The stored messages, then those sent since that the stored ones do not hold; oldest first. */
  async conversation(scope: Scope, executionId: string): Promise<readonly JsonObject[]> {
    const rows = await this.database.sql<{ message: JsonObject }>(`${CONVERSATION} ${IN_ORDER}`, [
      scope.organizationId,
      executionId,
    ]);
    return rows.map(({ message }) => message);
  }

  /** The same from a place on, as many as hold `HISTORY_PAGE_BYTES` together, and one at least. */
  async conversationAfter(scope: Scope, executionId: string, count: number): Promise<HistoryPage> {
    const rows = await this.database.sql<{ message: JsonObject; remaining: number }>(AFTER, [
      ...[scope.organizationId, executionId, count, HISTORY_PAGE_BYTES],
    ]);
    return { messages: rows.map(({ message }) => message), complete: rows.length === (rows[0]?.remaining ?? 0) };
  }

  /** A page of the same. */
  async messages(scope: Scope, executionId: string, page: Page): Promise<Listed<JsonObject>> {
    const rows = await this.database.page<{ total: number; place: string | null; message: JsonObject }>(page, PAGE, [
      ...[scope.organizationId, executionId, page.skip, page.limit],
    ]);
    const items = rows.flatMap(({ place, message }) => (place === null ? [] : [message]));
    return { items, total: rows[0]?.total ?? 0 };
  }

  /** How many those are, and what the sent ones of them hold, in bytes. */
  async sizeOf(scope: Scope, executionId: string): Promise<ConversationSize> {
    const [row] = await this.database.sql<ConversationSize>(
      `SELECT coalesce((SELECT json_array_length(messages) FROM execution_sessions
                        WHERE organization_id = $1 AND execution_id = $2), 0) + count(*)::integer AS messages,
         coalesce(sum(octet_length(sent.message::text)), 0)::integer AS "sentBytes"
       FROM ${SENT}`,
      [scope.organizationId, executionId],
    );
    if (row === undefined) throw new Error('A conversation has a size, if only none');
    return row;
  }
}

/** Joined and not compared with each id in turn: both may be many. */
const SENT = `execution_messages sent
    WHERE sent.organization_id = $1 AND sent.execution_id = $2 AND NOT EXISTS (
      SELECT 1 FROM execution_sessions session, unnest(session.message_ids) AS stored (id)
      WHERE session.organization_id = $1 AND session.execution_id = $2 AND stored.id = sent.message_id)`;

const CONVERSATION = `
  WITH said AS (
    SELECT 'stored' AS origin, element.place, element.message
    FROM execution_sessions, json_array_elements(messages) WITH ORDINALITY AS element (message, place)
    WHERE organization_id = $1 AND execution_id = $2
    UNION ALL
    SELECT 'sent', row_number() OVER (ORDER BY sent.created_at, sent.message_id), sent.message
    FROM ${SENT}
  )`;

const IN_ORDER = `SELECT message FROM said ORDER BY origin = 'sent', place`;

const HISTORY_PAGE_BYTES = 1_048_576;

const AFTER = `${CONVERSATION}
  SELECT message, remaining FROM (
    SELECT rest.*, count(*) OVER ()::integer AS remaining,
      sum(octet_length(message::text)) OVER (ORDER BY origin = 'sent', place) - octet_length(message::text) AS bytes_before
    FROM (SELECT * FROM said ORDER BY origin = 'sent', place OFFSET $3) rest
  ) measured
  WHERE bytes_before < $4 ORDER BY origin = 'sent', place`;

/** Page and count of one reading, also where the page is empty. */
const PAGE = `${CONVERSATION}
  SELECT counted.total, page.place, page.message
  FROM (SELECT count(*)::integer AS total FROM said) counted
  LEFT JOIN (SELECT * FROM said ORDER BY origin = 'sent', place OFFSET $3 LIMIT $4) page ON true
  ORDER BY page.origin = 'sent', page.place`;

function written(value: object | undefined): string | null {
  return value === undefined ? null : JSON.stringify(value);
}

function idOf({ message_id: id }: JsonObject): readonly string[] {
  return typeof id === 'string' ? [id] : [];
}
