import { Database } from '@app/database';
import { Clock, newId, type Caller, type Page, type PageResult, type Scope } from '@app/kernel';
import { Injectable } from '@nestjs/common';
import {
  sessionBusy,
  sessionMessageNotFound,
  sessionNotFound,
  sessionTooLargeToFork,
} from '../executions/execution.errors.js';
import { newestPreviewIn } from '../conversations/message-preview.js';
import { MAX_SESSION_MESSAGES, MAX_STORED_BYTES } from '../conversations/session.types.js';
import { TurnRepository } from '../session-turns/turn.repository.js';
import { UserSessionRepository } from './user-session.repository.js';
import type { SessionMessage, UserSession, UserSessionFilter } from './user-session.types.js';

const MAX_COPIED = { messages: MAX_SESSION_MESSAGES, bytes: MAX_STORED_BYTES };
/** Number of messages in which the newest text is looked for. */
const PREVIEWED_MESSAGES = 20;

/** The sessions of an organization: conversations of its users, each over any number of executions. */
@Injectable()
export class UserSessionService {
  constructor(
    private readonly database: Database,
    private readonly sessions: UserSessionRepository,
    private readonly turns: TurnRepository,
    private readonly clock: Clock,
  ) {}

  /** Last used first. */
  async list(scope: Scope, filter: UserSessionFilter, page: Page): Promise<PageResult<UserSession>> {
    return this.sessions.list(scope, filter, page);
  }

  async read(scope: Scope, id: string): Promise<UserSession> {
    const session = await this.sessions.find(scope, id);
    if (session === undefined) throw sessionNotFound();
    return session;
  }

  /** Returns the messages of all its executions, oldest first; those with which it began precede them. */
  async messages(scope: Scope, id: string, page: Page): Promise<PageResult<SessionMessage>> {
    const messages = await this.sessions.messages(scope, id, page);
    if (messages.items.length === 0) await this.read(scope, id);
    return messages;
  }

  async rename(scope: Scope, id: string, name: string | undefined): Promise<UserSession> {
    if (name !== undefined && !(await this.sessions.update(scope, id, { name, updated_at: this.clock.now() }))) {
      throw sessionNotFound();
    }
    return this.read(scope, id);
  }

  /**
   * Deletes a session with the messages of its executions, which remain without a session. Throws `session_busy` while one
   * of them has not ended.
   */
  async delete(scope: Scope, id: string): Promise<void> {
    await this.database.transaction(async () => {
      const key = await this.sessions.lock(scope, id);
      if (key === undefined) throw sessionNotFound();
      const [open] = await this.turns.findOpen(key, null);
      if (open !== undefined) throw sessionBusy(open);
      await this.sessions.delete(scope, id);
    });
  }

  /**
   * Creates a session of the caller that begins with the messages of another one, up to the newest one with the id
   * `messageId`; null: all. Both continue independently. Throws `invalid` if the messages exceed the limits of a
   * conversation.
   */
  async fork(caller: Caller, id: string, messageId: string | null, name: string | null): Promise<UserSession> {
    const now = this.clock.now();
    return this.database.transaction(async () => {
      const { running_execution_id: _id, running_execution_status: _status, ...source } = await this.read(caller, id);
      const { last_message_preview: _preview, ...copied } = source;
      const newSessionId = newId();
      const isOwn = caller.userId === null || caller.userId === source.user_id;
      await this.sessions.insert({
        ...copied,
        id: newSessionId,
        session_id: newSessionId,
        name: name ?? source.name,
        user_id: caller.userId ?? source.user_id,
        user_name: isOwn ? source.user_name : caller.userName,
        turns: 0,
        forked_from_id: id,
        copied_messages: 0,
        copied_preview: null,
        ...{ created_at: now, updated_at: now, last_activity_at: now },
      });
      await this.copy(caller, { from: id, to: newSessionId, upTo: messageId });
      return this.read(caller, newSessionId);
    });
  }

  private async copy(
    scope: Scope,
    range: { readonly from: string; readonly to: string; readonly upTo: string | null },
  ): Promise<void> {
    const { messages, bytes } = await this.sessions.copyMessages(scope, range, MAX_COPIED);
    if (messages === null && range.upTo !== null) throw sessionMessageNotFound();
    if ((messages ?? 0) > MAX_COPIED.messages || bytes > MAX_COPIED.bytes) throw sessionTooLargeToFork(MAX_COPIED);
    const copied_preview = newestPreviewIn(await this.sessions.newestCopied(scope, range.to, PREVIEWED_MESSAGES));
    await this.sessions.update(scope, range.to, { copied_messages: messages ?? 0, copied_preview });
  }
}
