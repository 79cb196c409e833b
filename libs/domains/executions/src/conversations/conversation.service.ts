import { Clock, type JsonObject, type Scope } from '@app/kernel';
import { Injectable } from '@nestjs/common';
import {
  executionNotFound,
  leaseLost,
  messagesWithoutId,
  sessionMessageLimitExceeded,
  sessionTooLarge,
} from '../executions/execution.errors.js';
import { ExecutionRepository } from '../executions/execution.repository.js';
import { ExecutionTransitions } from '../executions/execution-transitions.js';
import type { Execution, UpdateExecution } from '../executions/execution.types.js';
import { ExecutionFence } from '../leases/execution-fence.js';
import type { ActingScope } from '../executions/transition.types.js';
import { newestPreviewIn } from './message-preview.js';
import { SessionRepository, type StoredSize } from './session.repository.js';
import {
  MAX_MESSAGE_ID_LENGTH,
  MAX_SESSION_MESSAGES,
  MAX_STORED_BYTES,
  type AppendMessages,
  type Conversation,
} from './session.types.js';

/**
 * Maximum number of messages of earlier executions that a run receives. A model reads all of them with each request.
 */
const MAX_EARLIER_MESSAGES = 100;
const MAX_EARLIER_BYTES = 262_144;
/** More bytes are read than returned, because tool calls and their results are left out. */
const MAX_EARLIER_READ_BYTES = 4 * MAX_EARLIER_BYTES;

/** The conversation of an execution for its worker, which stores it during the run and reads it to continue the run. */
@Injectable()
export class ConversationService {
  constructor(
    private readonly sessions: SessionRepository,
    private readonly executions: ExecutionRepository,
    private readonly fence: ExecutionFence,
    private readonly transitions: ExecutionTransitions,
    private readonly clock: Clock,
  ) {}

  /**
   * Stores messages after the stored ones. Idempotent: a message whose `message_id` is already stored is left out.
   * Returns the number of stored messages of the session. Throws `invalid` for a message without an id, and above
   * `MAX_SESSION_MESSAGES` or `MAX_STORED_BYTES`.
   */
  async append(scope: Scope, executionId: string, request: AppendMessages, leaseToken: string | null): Promise<number> {
    const now = this.clock.now();
    return this.fence.write(scope, executionId, leaseToken, async () => {
      const byId = withIds(request.messages);
      const messages = [...byId.values()];
      const stored = await this.sessions.append(scope, executionId, { ...request, messages }, [...byId.keys()], now);
      if (stored.added > 0) checkSize(stored);
      const preview = newestPreviewIn(messages);
      if (preview !== null) await this.executions.recordMessage(scope, executionId, { at: now, preview });
      return stored.messages;
    });
  }

  /**
   * Returns the conversation so far; with a session id, also the newest `MAX_EARLIER_MESSAGES` messages of earlier
   * executions of the session. Throws `lease_lost` for a stale token; null skips the check.
   */
  async read(
    scope: Scope,
    executionId: string,
    sessionId: string | null,
    leaseToken: string | null,
  ): Promise<Conversation> {
    const guards = await this.executions.findGuards(scope, executionId);
    if (guards === undefined) throw executionNotFound();
    if (leaseToken !== null && guards.lease_token !== leaseToken) throw leaseLost();
    const [messages, earlier] = await Promise.all([
      this.sessions.conversation(scope, executionId),
      sessionId === null ? [] : this.sessions.earlierMessages(scope, executionId, sessionId, MAX_EARLIER_READ_BYTES),
    ]);
    return { earlier_messages: newestTexts(earlier), messages };
  }

  /**
   * Ends the lease of a run that waits for input and whose conversation is stored. The next message puts the execution
   * back into its queue with the same attempt. If a message arrived that the worker has not stored, this happens at
   * once, and the returned execution is pending.
   */
  async waitForInput(
    scope: ActingScope,
    executionId: string,
    update: Pick<UpdateExecution, 'usage'>,
    leaseToken: string | null,
  ): Promise<Execution> {
    return this.transitions.suspend(scope, executionId, update, leaseToken, () => this.hasInput(scope, executionId));
  }

  private async hasInput(scope: Scope, executionId: string): Promise<boolean> {
    return (await this.sessions.sizeOf(scope, executionId)).sentBytes > 0;
  }
}

/** Throws `invalid`, which undoes the writes of the transaction. */
function checkSize({ messages, bytes }: StoredSize): void {
  if (messages > MAX_SESSION_MESSAGES) throw sessionMessageLimitExceeded('messages', MAX_SESSION_MESSAGES);
  if (bytes > MAX_STORED_BYTES) throw sessionTooLarge(MAX_STORED_BYTES);
}

/** Returns the first message with each id. */
function withIds(messages: readonly JsonObject[]): ReadonlyMap<string, JsonObject> {
  const byId = new Map<string, JsonObject>();
  const faults: number[] = [];
  messages.forEach((message, index) => {
    const { message_id: id } = message;
    if (typeof id !== 'string' || id === '' || id.length > MAX_MESSAGE_ID_LENGTH) faults.push(index);
    else if (!byId.has(id)) byId.set(id, message);
  });
  if (faults.length > 0) throw messagesWithoutId(faults, MAX_MESSAGE_ID_LENGTH);
  return byId;
}

/** Returns the newest messages of users and of the agents that answered them, oldest first. */
function newestTexts(messages: readonly JsonObject[]): JsonObject[] {
  const texts = messages.flatMap(({ role, content, source, step }) => {
    const isSaid = (role === 'user' || role === 'assistant') && source === undefined && step === undefined;
    return isSaid && typeof content === 'string' && content !== '' ? [{ role, content }] : [];
  });
  const newest = texts.slice(-MAX_EARLIER_MESSAGES);
  while (sizeOf(newest) > MAX_EARLIER_BYTES) newest.shift();
  return newest;
}

function sizeOf(messages: readonly JsonObject[]): number {
  return messages.reduce((sum, message) => sum + Buffer.byteLength(JSON.stringify(message)), 0);
}
