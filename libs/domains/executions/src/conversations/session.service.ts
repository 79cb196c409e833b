import { newId, Clock, type Caller, type JsonObject, type PageResult, type Page, type Scope } from '@app/kernel';
import { Injectable } from '@nestjs/common';
import { ExecutionChangePublisher } from '../executions/execution-change-publisher.js';
import { ExecutionFence } from '../leases/execution-fence.js';
import {
  executionAlreadyFinished,
  executionNotFound,
  sentMessagesTooLarge,
  sessionNotFound,
  sessionMessageLimitExceeded,
} from '../executions/execution.errors.js';
import { ExecutionRepository } from '../executions/execution.repository.js';
import { ExecutionTransitions } from '../executions/execution-transitions.js';
import { isFinal } from '../executions/execution-state.js';
import type { Participant } from '../executions/execution.types.js';
import { participant } from '../executions/new-execution.js';
import { ConversationReader } from './conversation-reader.js';
import { newestPreviewIn, previewOf } from './message-preview.js';
import { SessionRepository } from './session.repository.js';
import {
  MAX_SENT_BYTES,
  MAX_SESSION_MESSAGES,
  type ExecutionSession,
  type SaveSession,
  type SendMessage,
  type SentMessage,
} from './session.types.js';

/** The conversation of an execution: the messages that its worker stored, and those sent to it. */
@Injectable()
export class SessionService {
  constructor(
    private readonly sessions: SessionRepository,
    private readonly executions: ExecutionRepository,
    private readonly fence: ExecutionFence,
    private readonly transitions: ExecutionTransitions,
    private readonly changes: ExecutionChangePublisher,
    private readonly clock: Clock,
  ) {}

  /** Returns the session with the whole conversation. Throws `not_found` until a message was stored or sent. */
  async read(scope: Scope, executionId: string): Promise<ExecutionSession> {
    const session = await this.sessions.find(scope, executionId);
    if (session !== undefined) {
      const messages = await this.sessions.conversation(scope, executionId);
      return { ...(await this.withUser(scope, session)), messages };
    }
    await this.fence.checkExists(scope, executionId);
    throw sessionNotFound();
  }

  /** Replaces the given fields of the stored session. Throws `invalid` above `MAX_SESSION_MESSAGES`. */
  async save(
    scope: Scope,
    executionId: string,
    session: SaveSession,
    leaseToken: string | null,
  ): Promise<ExecutionSession> {
    if ((session.messages?.length ?? 0) > MAX_SESSION_MESSAGES)
      throw sessionMessageLimitExceeded('messages', MAX_SESSION_MESSAGES);
    const now = this.clock.now();
    return this.fence.write(scope, executionId, leaseToken, async () => {
      const saved = await this.sessions.save(scope, executionId, session, now);
      if (session.messages !== undefined && session.messages.length > 0) {
        const preview = newestPreviewIn(session.messages);
        await this.executions.recordMessage(scope, executionId, { at: now, preview });
      }
      const messages = session.messages ?? (await this.sessions.storedMessages(scope, executionId));
      return { ...(await this.withUser(scope, saved)), messages };
    });
  }

  /** A session whose worker saved no user is that of the user of the execution. */
  private async withUser<T extends Omit<ExecutionSession, 'messages'>>(scope: Scope, session: T): Promise<T> {
    if (session.user_id !== null) return session;
    const [owner] = await this.executions.findOwners(scope, [session.execution_id]);
    return { ...session, user_id: owner?.user_id ?? null };
  }

  /** Returns a page of the stored messages followed by the sent ones that are not stored; oldest first. */
  async messages(scope: Scope, executionId: string, page: Page): Promise<PageResult<JsonObject>> {
    const result = await this.sessions.messages(scope, executionId, page);
    if (result.items.length === 0) await this.fence.checkExists(scope, executionId);
    return result;
  }

  /** Returns a reader of the conversation, for the event stream. */
  history(scope: Scope, executionId: string): ConversationReader {
    return new ConversationReader(this.sessions, scope, executionId);
  }

  /**
   * Sends a message to an execution and publishes it. An execution that waits for input without a lease returns to its
   * queue. Throws `conflict` if the execution has ended, or if the sent messages that its worker has not stored are too
   * large.
   */
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
      if (isFinal(execution.status)) throw executionAlreadyFinished(execution.status);
      await this.checkLimits(caller, executionId);
      await this.sessions.save(caller, executionId, {}, now);
      await this.sessions.insertMessage(caller, executionId, sent, now);
      const participants = withParticipant(execution.participants, caller, now);
      await this.executions.recordMessage(caller, executionId, { at: now, preview: previewOf(sent), participants });
      await this.transitions.wake(caller, executionId);
    });
    const ref = { organizationId: caller.organizationId, executionId };
    this.changes.publishMessage(ref, sent);
    return sent;
  }

  private async checkLimits(scope: Scope, executionId: string): Promise<void> {
    const { messages, sentBytes } = await this.sessions.sizeOf(scope, executionId);
    if (messages >= MAX_SESSION_MESSAGES) throw sessionMessageLimitExceeded('message', MAX_SESSION_MESSAGES);
    if (sentBytes >= MAX_SENT_BYTES) throw sentMessagesTooLarge(MAX_SENT_BYTES);
  }
}

function withParticipant(participants: readonly Participant[], caller: Caller, now: Date): readonly Participant[] {
  const isPresent = participants.some(({ user_id }) => user_id === caller.userId);
  if (!isPresent) return [...participants, participant(caller, 'member', now)];
  const last_active_at = now.toISOString();
  return participants.map((one) => (one.user_id === caller.userId ? { ...one, last_active_at } : one));
}
