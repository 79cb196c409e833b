import { Database } from '@app/database';
import type { HistoryPage } from '@app/events';
import {
  isJsonObject,
  newId,
  Clock,
  type Caller,
  type JsonObject,
  type Listed,
  type Page,
  type Scope,
} from '@app/kernel';
import { Injectable } from '@nestjs/common';
import { ExecutionAnnouncer } from '../executions/execution-announcer.js';
import { ExecutionFence } from '../leases/execution-fence.js';
import {
  executionFinished,
  executionNotFound,
  sentTooMuch,
  sessionNotFound,
  tooManyMessages,
} from '../executions/execution.errors.js';
import { ExecutionRepository } from '../executions/execution.repository.js';
import { isFinal } from '../executions/execution-state.js';
import type { Participant } from '../executions/execution.types.js';
import { participant } from '../executions/new-execution.js';
import { SessionRepository } from './session.repository.js';
import {
  MAX_SENT_BYTES,
  MAX_SESSION_MESSAGES,
  type ExecutionSession,
  type SaveSession,
  type SendMessage,
  type SentMessage,
} from './session.types.js';

const PREVIEW_LENGTH = 200;

/** The conversation of an execution: what its worker stored, and what people sent into it. */
@Injectable()
export class SessionService {
  constructor(
    private readonly database: Database,
    private readonly sessions: SessionRepository,
    private readonly executions: ExecutionRepository,
    private readonly fence: ExecutionFence,
    private readonly announcer: ExecutionAnnouncer,
    private readonly clock: Clock,
  ) {}

  /** With the whole conversation. There is a session once something was stored or sent. */
  async read(scope: Scope, executionId: string): Promise<ExecutionSession> {
    const session = await this.sessions.find(scope, executionId);
    if (session !== undefined) return { ...session, messages: await this.sessions.conversation(scope, executionId) };
    await this.fence.checkExists(scope, executionId);
    throw sessionNotFound();
  }

  /** Replaces what is given of the stored session. */
  async save(
    scope: Scope,
    executionId: string,
    session: SaveSession,
    leaseToken: string | null,
  ): Promise<ExecutionSession> {
    if ((session.messages?.length ?? 0) > MAX_SESSION_MESSAGES) throw tooManyMessages('messages', MAX_SESSION_MESSAGES);
    const now = this.clock.now();
    return this.fence.write(scope, executionId, leaseToken, async () => {
      const saved = await this.sessions.save(scope, executionId, session, now);
      const last = session.messages?.at(-1);
      if (last !== undefined)
        await this.executions.noteMessage(scope, executionId, { at: now, preview: previewOf(last) });
      return saved;
    });
  }

  /** The stored messages, then those sent since that the stored ones do not hold; oldest first. */
  async messages(scope: Scope, executionId: string, page: Page): Promise<Listed<JsonObject>> {
    const listed = await this.sessions.messages(scope, executionId, page);
    if (listed.total === 0) await this.fence.checkExists(scope, executionId);
    return listed;
  }

  /** Those after so many, as long as they are small together: for a reader of the event stream. */
  async history(scope: Scope, executionId: string, after: number): Promise<HistoryPage> {
    return this.sessions.conversationAfter(scope, executionId, after);
  }

  /** Sends a message into an execution that has not ended; its readers and its worker see it. Answers the message. */
  async send(
    caller: Caller,
    executionId: string,
    { message, role = 'user' }: SendMessage,
    leaseToken: string | null,
  ): Promise<SentMessage> {
    const now = this.clock.now();
    const sent = {
      message_id: newId(),
      role,
      content: message,
      timestamp: now.toISOString(),
      user_id: caller.userId,
      user_name: caller.userName,
      user_avatar: caller.userAvatar,
    };
    await this.fence.write(caller, executionId, leaseToken, async () => {
      const execution = await this.executions.lockParticipants(caller, executionId);
      if (execution === undefined) throw executionNotFound();
      if (isFinal(execution.status)) throw executionFinished(execution.status);
      await this.checkRoom(caller, executionId);
      await this.sessions.save(caller, executionId, {}, now);
      await this.sessions.insertMessage(caller, executionId, sent, now);
      const participants = withParticipant(execution.participants, caller, now);
      await this.executions.noteMessage(caller, executionId, { at: now, preview: previewOf(sent), participants });
    });
    const ref = { organizationId: caller.organizationId, executionId };
    this.database.afterCommit(() => this.announcer.messageSent(ref, sent));
    return sent;
  }

  private async checkRoom(scope: Scope, executionId: string): Promise<void> {
    const { messages, sentBytes } = await this.sessions.sizeOf(scope, executionId);
    if (messages >= MAX_SESSION_MESSAGES) throw tooManyMessages('message', MAX_SESSION_MESSAGES);
    if (sentBytes >= MAX_SENT_BYTES) throw sentTooMuch(MAX_SENT_BYTES);
  }
}

function withParticipant(present: readonly Participant[], caller: Caller, now: Date): readonly Participant[] {
  const known = present.some(({ user_id }) => user_id === caller.userId);
  if (!known) return [...present, participant(caller, 'member', now)];
  const last_active_at = now.toISOString();
  return present.map((one) => (one.user_id === caller.userId ? { ...one, last_active_at } : one));
}

/** The beginning of a message's text; `null` for one without text. */
function previewOf({ content }: { readonly content?: unknown }): string | null {
  const text = isJsonObject(content) ? content['text'] : content;
  return typeof text === 'string' ? [...text].slice(0, PREVIEW_LENGTH).join('') : null;
}
