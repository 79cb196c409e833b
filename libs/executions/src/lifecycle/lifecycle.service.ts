import { Database, GroupCommit } from '@app/database';
import { Outbox, type OutboxDraft } from '@app/dispatch';
import type { ExecutionRef } from '@app/events';
import { Clock } from '@app/kernel';
import { Injectable } from '@nestjs/common';
import { AsyncLocalStorage } from 'node:async_hooks';
import { executionFinished, executionQueued } from '../executions/execution.events.js';
import { decide } from './decide.js';
import {
  LifecycleRepository,
  type ChangedExecution,
  type LifecycleSnapshot,
  type WrittenChange,
} from './lifecycle.repository.js';
import { MAX_BATCH } from './lifecycle.sql.js';
import type { Change, Command, Decision, Refusal, Repetition, SentCommand } from './lifecycle.types.js';

const MAX_BATCH_BYTES = 4_194_304;
/** One is written while the next one is read and decided. */
const MAX_BATCHES_IN_FLIGHT = 2;

/** A change that was committed, or is written in the current transaction. */
export interface Applied {
  readonly outcome: 'changed';
  readonly execution: ChangedExecution;
  readonly change: Change;
}

export type Outcome = Applied | Repetition | Refusal | { readonly outcome: 'missing' };

interface Sent {
  readonly ref: ExecutionRef;
  readonly command: SentCommand;
  /** Runs work in the asynchronous context of the call: outbox messages keep its trace. */
  readonly inContext: <T>(work: () => T) => T;
}

interface Prepared extends WrittenChange {
  readonly draft: OutboxDraft | undefined;
}

/**
 * Applies commands to executions: reads their rows, decides (`decide`), and writes what follows. Commands outside a
 * transaction are committed together with those of other callers.
 */
@Injectable()
export class LifecycleService {
  private readonly commits = new GroupCommit<Sent, Outcome>((sent) => this.commit(sent), {
    keyOf: ({ ref: { organizationId, executionId } }) => `${organizationId} ${executionId}`,
    holderOf: ({ ref }) => ref.organizationId,
    bytesOf: ({ command }) => sizeOf(command),
    maxItems: MAX_BATCH,
    maxBytes: MAX_BATCH_BYTES,
    maxInFlight: MAX_BATCHES_IN_FLIGHT,
  });

  constructor(
    private readonly database: Database,
    private readonly lifecycles: LifecycleRepository,
    private readonly outbox: Outbox,
    private readonly clock: Clock,
  ) {}

  /** Applies a command that a client, a worker or the platform sends to one execution. */
  async apply(ref: ExecutionRef, command: SentCommand): Promise<Outcome> {
    if (this.database.isInTransaction) return this.applyLocked(ref, command);
    return this.commits.add({ ref, command, inContext: AsyncLocalStorage.snapshot() });
  }

  /**
   * Applies a command to executions that `choose` locks, in a transaction, and returns them with their changes. Those
   * that refuse it are left out.
   */
  async applyToChosen(
    choose: () => Promise<readonly LifecycleSnapshot[]>,
    command: Command,
    andThen: (changes: readonly WrittenChange[]) => Promise<void> = () => Promise.resolve(),
  ): Promise<readonly WrittenChange[]> {
    return this.database.transaction(async () => {
      const changes = (await choose()).flatMap((row) => {
        const decision = this.decide(row, command);
        return decision.outcome === 'changed' ? [this.prepare(row, decision)] : [];
      });
      await this.lifecycles.writeLocked(changes);
      for (const { draft } of changes) draft?.send();
      await andThen(changes);
      return changes;
    });
  }

  private async applyLocked(ref: ExecutionRef, command: SentCommand): Promise<Outcome> {
    const row = await this.lifecycles.lock(ref);
    if (row === undefined) return { outcome: 'missing' };
    const decision = this.decide(row, command);
    if (decision.outcome !== 'changed') return decision;
    const prepared = this.prepare(row, decision);
    const [execution] = await this.lifecycles.write([prepared]);
    if (execution === undefined) throw new Error('A locked execution was changed meanwhile');
    prepared.draft?.send();
    return { outcome: 'changed', execution, change: decision };
  }

  /** Decides and writes a batch without locks; what somebody else changed meanwhile is decided again under a lock. */
  private async commit(sent: readonly Sent[]): Promise<readonly Outcome[]> {
    const snapshots = await this.lifecycles.read(sent.map(({ ref }) => ref));
    const rows = new Map(snapshots.map((row) => [`${row.organization_id} ${row.id}`, row]));
    const decided = sent.map(({ ref, command, inContext }) => {
      const row = rows.get(`${ref.organizationId} ${ref.executionId}`);
      if (row === undefined) return { outcome: 'missing' } as const;
      const decision = this.decide(row, command);
      return decision.outcome === 'changed' ? inContext(() => this.prepare(row, decision)) : decision;
    });
    const changes = decided.filter((one) => 'change' in one);
    const executions = new Map<object, ChangedExecution | undefined>();
    if (changes.length > 0) {
      const written = await this.lifecycles.write(changes);
      changes.forEach((change, index) => executions.set(change, written[index]));
    }
    return Promise.all(
      decided.map(async (one, index): Promise<Outcome> => {
        if (!('change' in one)) return one;
        const { ref, command, inContext } = sent[index] as Sent;
        const execution = executions.get(one);
        if (execution === undefined) {
          return inContext(() => this.database.transaction(() => this.applyLocked(ref, command)));
        }
        inContext(() => one.draft?.send());
        return { outcome: 'changed', execution, change: one.change };
      }),
    );
  }

  private decide(row: LifecycleSnapshot, command: Command): Decision {
    return decide(row, command, { now: this.clock.now(), at: row.at });
  }

  private prepare(row: LifecycleSnapshot, change: Change): Prepared {
    const draft = this.draftOf(row, change);
    return { row, change, now: this.clock.now(), draft, messages: draft?.rows };
  }

  private draftOf({ organization_id, id }: LifecycleSnapshot, { message }: Change): OutboxDraft | undefined {
    if (message === undefined) return undefined;
    const ref = { organizationId: organization_id, executionId: id };
    if (message.topic === 'queued') {
      const { queueId, attempt, dueAt } = message;
      return this.outbox.dueDraft(executionQueued, { dueAt, payload: { ...ref, attempt, queueId } });
    }
    const { topic: _topic, ...end } = message;
    return this.outbox.draft(executionFinished, { ...ref, ...end });
  }
}

/** Returns about how many bytes a command has. */
function sizeOf(command: SentCommand): number {
  if (!('fields' in command)) return 0;
  const { response, error_message, usage, execution_metadata } = command.fields;
  const objects = [usage, execution_metadata].filter((value) => value !== undefined);
  const length = (response?.length ?? 0) + (error_message?.length ?? 0);
  return objects.reduce((sum, value) => sum + JSON.stringify(value).length, length);
}
