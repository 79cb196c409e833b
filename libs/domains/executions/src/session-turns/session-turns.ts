import { Database, LIMIT_LOCK_WAIT } from '@app/database';
import type { ExecutionRef } from '@app/events';
import { Clock } from '@app/kernel';
import { createLogger } from '@app/observability';
import { Injectable } from '@nestjs/common';
import type { NewExecution } from '../executions/execution.types.js';
import { LifecycleRepository } from '../lifecycle/lifecycle.repository.js';
import { LifecycleService } from '../lifecycle/lifecycle.service.js';
import type { RequestedTurn, SessionKey } from './turn.types.js';
import { TurnRepository, type OpenTurn } from './turn.repository.js';

const STALLED_BATCH = 100;

/** The place of a new execution in its session. */
export interface Turn {
  readonly turn: number;
  /** The first open execution of the session, for which the new one should wait; absent: there is none. */
  readonly before?: OpenTurn;
}

/**
 * The order of the executions of a session. A start locks its session and then looks for open executions; what queues the
 * next one locks it as well. Therefore a start that waits is either committed before somebody looks for the next one,
 * or looks itself after the end of the one before.
 */
@Injectable()
export class SessionTurns {
  private readonly logger = createLogger('sessions');

  constructor(
    private readonly database: Database,
    private readonly turns: TurnRepository,
    private readonly lifecycle: LifecycleService,
    private readonly lifecycles: LifecycleRepository,
    private readonly clock: Clock,
  ) {}

  /**
   * Gives an execution that is inserted in the same transaction its place in the session. What an execution of the session
   * has started while it runs, itself or through others, belongs to its turn: it may wait for all of them.
   */
  async take(execution: NewExecution, { userId, sessionId }: RequestedTurn): Promise<Turn> {
    const key = { organizationId: execution.organization_id, userId, sessionId };
    const turn = await this.turns.add(key, execution);
    // A statement of its own, because it must see what was committed before the session was locked.
    const open = await this.turns.findOpen(key, execution.parent_execution_id);
    const cause = open.find(({ is_ancestor }) => is_ancestor);
    if (cause !== undefined) return { turn: cause.turn };
    const [before] = open;
    return before === undefined ? { turn } : { turn, before };
  }

  /** Queues the execution of the session of an ended one whose turn it is. Idempotent. */
  async advance(ended: ExecutionRef): Promise<void> {
    await this.database.transaction(async () => {
      // Many ends of a session wait for each other here, and hold connections meanwhile.
      await this.database.sql(LIMIT_LOCK_WAIT);
      const session = await this.turns.touchSessionOf(ended, this.clock.now());
      if (session !== undefined) await this.queueNext(session);
    });
  }

  /** Queues executions that wait although nothing before them in their sessions is open: their messages were lost. */
  async advanceStalled(signal: AbortSignal): Promise<void> {
    const stalled = await this.turns.findStalled(STALLED_BATCH);
    for (const session of stalled) {
      if (signal.aborted) return;
      const queued = await this.advanceLocked(session).catch((error: unknown) => {
        this.logger.warn({ err: error }, 'queueing the next execution of a session failed, trying again');
        return 0;
      });
      if (queued > 0) this.logger.info({ executions: queued }, 'waiting executions of a session queued');
    }
  }

  private async advanceLocked(session: SessionKey): Promise<number> {
    return this.database.transaction(async () => {
      await this.database.sql(LIMIT_LOCK_WAIT);
      await this.turns.lock(session);
      return this.queueNext(session);
    });
  }

  /** Returns the number of queued executions. The current transaction has locked the session. */
  private async queueNext(session: SessionKey): Promise<number> {
    const next = await this.lifecycle.applyToChosen(() => this.lifecycles.lockNextTurns(session), {
      name: 'take_turn',
    });
    return next.length;
  }
}
