import { Database, rejectWrongKeys } from '@app/database';
import {
  decodeCursor,
  encodeCursor,
  withoutUndefined,
  type JsonObject,
  type Page,
  type PageResult,
  type Scope,
} from '@app/kernel';
import { Injectable } from '@nestjs/common';
import type { FindOptionsWhere, SelectQueryBuilder } from 'typeorm';
import type { SessionKey } from '../session-turns/turn.types.js';
import {
  COPY_MESSAGES,
  COUNT_SESSION_MESSAGES,
  FIND_NEWEST_COPIED,
  FIND_SESSION_MESSAGES,
} from './user-session-messages.sql.js';
import { UserSessionEntity } from './user-session.entity.js';
import {
  DELETE_USER_SESSION,
  LAST_PREVIEW,
  LOCK_USER_SESSION,
  NAME_CONTAINS,
  ofRunning,
  PRUNE_USER_SESSIONS,
  RUNS_ONE_OF,
} from './user-session.sql.js';
import type {
  CopiedSize,
  SessionMessage,
  StoredUserSession,
  UserSession,
  UserSessionFilter,
} from './user-session.types.js';

const COLUMNS = [
  ...(['organization_id', 'id', 'user_id', 'user_name', 'session_id', 'name', 'execution_type'] as const),
  ...(['entity_id', 'entity_name', 'turns', 'forked_from_id', 'created_at', 'updated_at'] as const),
  'last_activity_at' as const,
] satisfies readonly (keyof UserSession & keyof StoredUserSession)[];

interface ListedMessage extends SessionMessage {
  readonly turn: string;
  readonly at: string;
  readonly part: string;
  readonly rank: string;
  readonly position: string;
  readonly sent_at: string | null;
  readonly sent_id: string;
}

/** The number of values of a place in the messages of a session. */
const PLACE_KEYS = 7;

@Injectable()
export class UserSessionRepository {
  constructor(private readonly database: Database) {}

  /** Last used first. */
  async list(scope: Scope, filter: UserSessionFilter, page: Page): Promise<PageResult<UserSession>> {
    const { userId: user_id, entityId: entity_id, executionType: execution_type, entities, words } = filter;
    const query = this.sessions(scope, withoutUndefined({ user_id, entity_id, execution_type }));
    if (words !== undefined) query.andWhere(NAME_CONTAINS, { words });
    if (entities !== undefined) {
      query.andWhere(RUNS_ONE_OF, { kinds: entities.map(({ kind }) => kind), ids: entities.map(({ id }) => id) });
    }
    return this.database.listPage<UserSessionEntity, UserSession>(
      query.orderBy('session.last_activity_at', 'DESC'),
      page,
    );
  }

  async find(scope: Scope, id: string): Promise<UserSession | undefined> {
    const [row] = await this.database.rows<UserSessionEntity, UserSession>(this.sessions(scope, { id }));
    return row;
  }

  /** Locks a session until the transaction ends. Returns undefined if there is none. */
  async lock({ organizationId }: Scope, id: string): Promise<SessionKey | undefined> {
    const [row] = await this.database.prepared<{ user_id: string; session_id: string }>(LOCK_USER_SESSION, [
      organizationId,
      id,
    ]);
    return row === undefined ? undefined : { organizationId, userId: row.user_id, sessionId: row.session_id };
  }

  async insert(session: StoredUserSession): Promise<void> {
    await this.database.insert(UserSessionEntity, session);
  }

  /** Returns false if there is no such session. */
  async update(
    { organizationId }: Scope,
    id: string,
    changes: Partial<Pick<StoredUserSession, 'name' | 'copied_messages' | 'copied_preview' | 'updated_at'>>,
  ): Promise<boolean> {
    const where = { organization_id: organizationId, id };
    return (await this.database.update(UserSessionEntity, where, changes)) !== undefined;
  }

  /** Deletes a session whose executions have ended, with its messages and theirs. */
  async delete({ organizationId }: Scope, id: string): Promise<void> {
    await this.database.sql(DELETE_USER_SESSION, [organizationId, id]);
  }

  /** Deletes sessions of all organizations that have no execution and were last used before a time. */
  async prune(usedBefore: Date, limit: number): Promise<number> {
    const [row] = await this.database.sql<{ deleted: number }>(PRUNE_USER_SESSIONS, [usedBefore, limit]);
    return row?.deleted ?? 0;
  }

  /** Returns a page of the messages, oldest first. */
  async messages({ organizationId }: Scope, id: string, page: Page): Promise<PageResult<SessionMessage>> {
    const { skip, limit, cursor } = page;
    const list = ['session-messages', organizationId, id].join(':');
    const after = cursor === undefined ? Array<null>(PLACE_KEYS).fill(null) : decodeCursor(cursor, list, PLACE_KEYS);
    const values = [organizationId, id, skip, limit, ...after];
    const listed = this.database.boundedRows<ListedMessage>(limit + 1, { text: FIND_SESSION_MESSAGES, values });
    const [rows, total] = await Promise.all([
      cursor === undefined ? listed : rejectWrongKeys(listed),
      page.total === false ? undefined : this.countMessages({ organizationId }, id),
    ]);
    const last = rows.length > limit ? rows[limit - 1] : undefined;
    return {
      items: rows.slice(0, limit).map(({ execution_id, message }) => ({ execution_id, message })),
      total,
      nextCursor: last === undefined ? undefined : encodeCursor(list, placeOf(last)),
    };
  }

  /** Copies the messages up to the newest one with this id, or all, to another session, if they are within the limits. */
  async copyMessages(
    { organizationId }: Scope,
    { from, to, upTo }: { readonly from: string; readonly to: string; readonly upTo: string | null },
    max: { readonly messages: number; readonly bytes: number },
  ): Promise<CopiedSize> {
    const values = [organizationId, from, to, upTo, max.messages, max.bytes];
    const [row] = await this.database.sql<{ messages: number | null; bytes: number }>(COPY_MESSAGES, values);
    if (row === undefined) throw new Error('The messages were not copied');
    return row;
  }

  /** Returns the newest copied messages, oldest first. */
  async newestCopied({ organizationId }: Scope, id: string, limit: number): Promise<readonly JsonObject[]> {
    const rows = await this.database.sql<{ message: JsonObject }>(FIND_NEWEST_COPIED, [organizationId, id, limit]);
    return rows.map(({ message }) => message);
  }

  private async countMessages({ organizationId }: Scope, id: string): Promise<number> {
    const [row] = await this.database.sql<{ total: number }>(COUNT_SESSION_MESSAGES, [organizationId, id]);
    return row?.total ?? 0;
  }

  private sessions(
    { organizationId }: Scope,
    where: FindOptionsWhere<UserSessionEntity>,
  ): SelectQueryBuilder<UserSessionEntity> {
    return this.database
      .select(UserSessionEntity, 'session', { ...where, organization_id: organizationId })
      .select(COLUMNS.map((column) => `session.${column}`))
      .addSelect(LAST_PREVIEW, 'last_message_preview')
      .addSelect(ofRunning('id'), 'running_execution_id')
      .addSelect(ofRunning('status'), 'running_execution_status');
  }
}

function placeOf({ turn, at, part, rank, position, sent_at, sent_id }: ListedMessage): (string | null)[] {
  return [turn, at, part, rank, position, sent_at, sent_id];
}
