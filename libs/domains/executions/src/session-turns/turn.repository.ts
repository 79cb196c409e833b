import { Database } from '@app/database';
import type { ExecutionRef } from '@app/events';
import { newId, type Scope } from '@app/kernel';
import { Injectable } from '@nestjs/common';
import type { ExecutionStatus } from '../executions/execution-state.js';
import type { NewExecution } from '../executions/execution.types.js';
import type { SessionKey } from './turn.types.js';
import { ADD_TURN, FIND_OPEN_TURNS, FIND_STALLED, JOIN_SESSION, LOCK_SESSION, TOUCH_SESSION_OF } from './turn.sql.js';

/** An execution of a session that has not ended. */
export interface OpenTurn {
  readonly id: string;
  readonly status: ExecutionStatus;
  readonly turn: number;
  /** Whether it is the execution that was asked for or one of its ancestors. */
  readonly is_ancestor: boolean;
}

/** The places of executions in the sessions of their users. */
@Injectable()
export class TurnRepository {
  constructor(private readonly database: Database) {}

  /**
   * Adds a turn to a session, for an execution that is inserted in the same transaction, and returns its number. Locks
   * the session until the transaction ends.
   */
  async add({ organizationId, userId, sessionId }: SessionKey, execution: NewExecution): Promise<number> {
    const { user_name, execution_type, entity_id, entity_name, prompt, created_at } = execution;
    const name = nameFrom(prompt) ?? sessionId;
    const started = [
      organizationId,
      newId(),
      userId,
      user_name,
      sessionId,
      name,
      execution_type,
      entity_id,
      entity_name,
    ];
    const [row] = await this.database.prepared<{ turn: number }>(ADD_TURN, [...started, created_at]);
    if (row === undefined) throw new Error('The session was not written');
    return row.turn;
  }

  /** Returns the first open turn of a session, and those of the execution `id` and its ancestors that have begun. */
  async findOpen({ organizationId, userId, sessionId }: SessionKey, id: string | null): Promise<readonly OpenTurn[]> {
    return this.database.prepared<OpenTurn>(FIND_OPEN_TURNS, [organizationId, userId, sessionId, id]);
  }

  /** Notes an activity of the session of an execution, and locks the session until the transaction ends. */
  async touchSessionOf({ organizationId, executionId }: ExecutionRef, now: Date): Promise<SessionKey | undefined> {
    const [key] = await this.database.prepared<SessionKey>(TOUCH_SESSION_OF, [organizationId, executionId, now]);
    return key;
  }

  /** Locks a session until the transaction ends. */
  async lock({ organizationId, userId, sessionId }: SessionKey): Promise<void> {
    await this.database.prepared(LOCK_SESSION, [organizationId, userId, sessionId]);
  }

  /** Returns up to `limit` sessions in which an execution waits although nothing before it is open. */
  async findStalled(limit: number): Promise<readonly SessionKey[]> {
    return this.database.prepared<SessionKey>(FIND_STALLED, [limit]);
  }

  /** Adds an execution to a session as its last turn, unless it is in the session. */
  async join({ organizationId }: Scope, executionId: string, sessionId: string, now: Date): Promise<void> {
    await this.database.prepared(JOIN_SESSION, [organizationId, executionId, sessionId, newId(), now]);
  }
}

const NAME_LENGTH = 100;

/** Returns the beginning of a prompt in one line; undefined without a text. */
function nameFrom(prompt: string | null): string | undefined {
  const text =
    prompt
      ?.slice(0, 10 * NAME_LENGTH)
      .trim()
      .replace(/\s+/gu, ' ') ?? '';
  return text === '' ? undefined : [...text].slice(0, NAME_LENGTH).join('');
}
