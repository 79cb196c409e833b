import { Database, timestampText } from '@app/database';
import type { ExecutionRef } from '@app/events';
import type { Scope } from '@app/kernel';
import { Injectable } from '@nestjs/common';
import type { Execution } from '../executions/execution.types.js';
import type { ExecutionStatus } from '../executions/execution-state.js';
import type { SessionKey } from '../session-turns/turn.types.js';
import {
  LOCK_EXPIRED,
  LOCK_HELD_BY,
  LOCK_LEASED,
  LOCK_LIFECYCLE,
  LOCK_NEXT_TURNS,
  LOCK_TIMED_OUT,
  LOCK_WAITING_IN,
  READ_LIFECYCLE,
  READ_LIFECYCLES,
  writeStatement,
} from './lifecycle.sql.js';
import type { Change, LifecycleRow } from './lifecycle.types.js';

/** A row at a moment. */
export interface LifecycleSnapshot extends LifecycleRow, Pick<Execution, 'traceparent'> {
  /** Changes with each write of the row. */
  readonly version: string;
  /** Time of the database at which it was read. */
  readonly at: Date;
}

/** A change of a row, with the rows of the outbox messages that must follow it. */
export interface WrittenChange {
  readonly row: LifecycleSnapshot;
  readonly change: Change;
  /** Time of the change, of this process. */
  readonly now: Date;
  /** The rows of an `OutboxDraft`. */
  readonly messages?: string | undefined;
}

/** An execution after a change. */
export interface ChangedExecution extends Execution {
  readonly attempt: number;
  readonly previous_status: ExecutionStatus;
}

interface WrittenRow extends ChangedExecution, Pick<LifecycleSnapshot, 'version'> {
  /** The position of the change. */
  readonly n: number;
  readonly written_at: Date;
}

/** An execution after a change, and its row, as the next decision needs it. */
export interface Written {
  readonly execution: ChangedExecution;
  readonly row: LifecycleSnapshot;
}

/** The lifecycle columns of executions, and their changes. */
@Injectable()
export class LifecycleRepository {
  constructor(private readonly database: Database) {}

  /** Returns the rows that exist, in any order. */
  async read(executions: readonly ExecutionRef[]): Promise<readonly LifecycleSnapshot[]> {
    const [first] = executions;
    if (first === undefined) return [];
    if (executions.length === 1) {
      return this.database.prepared<LifecycleSnapshot>(READ_LIFECYCLE, [first.organizationId, first.executionId]);
    }
    return this.database.prepared<LifecycleSnapshot>(READ_LIFECYCLES, [
      executions.map(({ organizationId }) => organizationId),
      executions.map(({ executionId }) => executionId),
    ]);
  }

  /** Locks a row until the transaction ends. */
  async lock({ organizationId, executionId }: ExecutionRef): Promise<LifecycleSnapshot | undefined> {
    const [row] = await this.database.prepared<LifecycleSnapshot>(LOCK_LIFECYCLE, [organizationId, executionId]);
    return row;
  }

  /** Locks up to `limit` executions whose leases have expired, before `until` if that is not null. */
  async lockExpired(until: Date | null, limit: number): Promise<LifecycleSnapshot[]> {
    return this.database.prepared<LifecycleSnapshot>(LOCK_EXPIRED, [limit, until]);
  }

  /** Locks up to `limit` executions that exceeded their time limit by more than a lease, before `until`. */
  async lockTimedOut(until: Date | null, limit: number): Promise<LifecycleSnapshot[]> {
    return this.database.prepared<LifecycleSnapshot>(LOCK_TIMED_OUT, [limit, until]);
  }

  async lockHeldBy({ organizationId }: Scope, workerId: string): Promise<LifecycleSnapshot[]> {
    return this.database.prepared<LifecycleSnapshot>(LOCK_HELD_BY, [organizationId, workerId]);
  }

  async lockLeased({ organizationId }: Scope, executionId: string, token: string): Promise<LifecycleSnapshot[]> {
    return this.database.prepared<LifecycleSnapshot>(LOCK_LEASED, [organizationId, executionId, token]);
  }

  /** Locks up to `limit` executions that wait in a queue. */
  async lockWaitingIn(queueId: string, limit: number): Promise<LifecycleSnapshot[]> {
    return this.database.prepared<LifecycleSnapshot>(LOCK_WAITING_IN, [queueId, limit]);
  }

  /** Locks the execution of a session that waits for no other one any more, if there is one. */
  async lockNextTurns({ organizationId, userId, sessionId }: SessionKey): Promise<LifecycleSnapshot[]> {
    return this.database.prepared<LifecycleSnapshot>(LOCK_NEXT_TURNS, [organizationId, userId, sessionId]);
  }

  /**
   * Writes changes of different executions in one statement, and returns the executions in their order; undefined for an
   * execution that somebody else has written since it was read.
   */
  async write(changes: readonly WrittenChange[]): Promise<readonly (Written | undefined)[]> {
    const rows = await this.run(changes, true);
    const written = new Map(rows.map((row) => [row.n, row]));
    return changes.map(({ row, change }, index) => {
      const result = written.get(index);
      if (result === undefined) return undefined;
      const { n: _position, version, written_at: at, ...execution } = result;
      return { execution, row: { ...row, ...change.columns, version, at } };
    });
  }

  /** Writes changes of executions that the current transaction has locked. */
  async writeLocked(changes: readonly WrittenChange[]): Promise<void> {
    if (changes.length === 0) return;
    const rows = await this.run(changes, false);
    if (rows.length !== changes.length) throw new Error('A locked execution was changed meanwhile');
  }

  private async run(changes: readonly WrittenChange[], executions: boolean): Promise<WrittenRow[]> {
    const statement = writeStatement({
      size: changes.length,
      notes: changes.some(({ change }) => change.note !== undefined),
      ends: changes.some(({ change }) => change.message?.topic === 'finished'),
      messages: changes.some(({ messages }) => messages !== undefined),
      executions,
    });
    return this.database.prepared<WrittenRow>(statement, [JSON.stringify(changes.map(columnsOf))]);
  }
}

function toJson(value: unknown): unknown {
  return value instanceof Date ? timestampText(value) : value;
}

/** Returns the change as `lifecycle.sql.ts` reads it. */
function columnsOf({ row, change, now, messages }: WrittenChange, n: number): object {
  const { columns, content, note, keepsUsage } = change;
  const { usage, usageColumns, execution_metadata, ...texts } = content;
  const reason = note?.reason ?? null;
  const isMessage = typeof reason === 'object' && reason !== null;
  return {
    n,
    organization_id: row.organization_id,
    id: row.id,
    version: row.version,
    previous_status: change.from,
    ...Object.fromEntries(Object.entries(columns).map(([column, value]) => [column, toJson(value)])),
    written: Object.keys(content),
    ...texts,
    ...(execution_metadata === undefined ? {} : { execution_metadata: JSON.stringify(execution_metadata) }),
    ...(usage === undefined ? {} : { usage: JSON.stringify(usage), ...usageColumns }),
    keeps_usage: keepsUsage,
    is_noted: note !== undefined,
    at: now,
    ...(note === undefined
      ? {}
      : {
          lease: note.lease,
          due_at: note.queuedAt,
          actor_kind: note.actor.kind,
          actor_id: note.actor.id,
          actor_name: note.actor.name,
          reason: isMessage ? null : reason,
          is_message: isMessage,
        }),
    messages,
  };
}
