import { Database, GroupCommit, type ReportResult } from '@app/database';
import { Outbox, type OutboxDraft } from '@app/dispatch';
import type { ExecutionRef } from '@app/events';
import { Clock, distinctBy } from '@app/kernel';
import { Injectable } from '@nestjs/common';
import { AsyncLocalStorage } from 'node:async_hooks';
import { MAX_BATCH, MAX_BATCH_BYTES, MAX_BATCHES_IN_FLIGHT } from '../executions/batch-limit.js';
import { executionFinished, executionQueued } from '../executions/execution.events.js';
import { inSpanOf } from '../executions/execution-span.js';
import { decide } from './decide.js';
import { after, fold } from './fold.js';
import { keyOf, KnownRows } from './known-rows.js';
import {
  LifecycleRepository,
  type ChangedExecution,
  type LifecycleSnapshot,
  type WrittenChange,
} from './lifecycle.repository.js';
import type { Change, Command, Refusal, Repetition, SentCommand } from './lifecycle.types.js';

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

/** The rows of a batch by execution. */
interface Rows {
  readonly all: ReadonlyMap<string, LifecycleSnapshot>;
  /** The keys of those that were not read for this batch. */
  readonly known: ReadonlySet<string>;
}

/** A write of one execution, for the commands that it carries out. */
interface Planned {
  readonly prepared: Prepared;
  readonly senders: { readonly sent: Sent; readonly change: Change }[];
}

/**
 * Applies commands to executions: reads their rows, decides (`decide`), and writes what follows. Commands outside a
 * transaction are committed together with those of other callers.
 */
@Injectable()
export class LifecycleService {
  private readonly commits = new GroupCommit<Sent, Outcome>((sent, done) => this.commit(sent, done), {
    keyOf: ({ ref }) => keyOf(ref),
    holderOf: ({ ref }) => ref.organizationId,
    bytesOf: ({ command }) => sizeOf(command),
    maxItems: MAX_BATCH,
    maxBytes: MAX_BATCH_BYTES,
    maxInFlight: MAX_BATCHES_IN_FLIGHT,
  });
  private readonly known = new KnownRows();

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
        const now = this.clock.now();
        const decision = decide(row, command, { now, at: row.at });
        return decision.outcome === 'changed' ? [this.prepare(row, decision, now)] : [];
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
    const now = this.clock.now();
    const decision = decide(row, command, { now, at: row.at });
    if (decision.outcome !== 'changed') return decision;
    const prepared = this.prepare(row, decision, now);
    const [written] = await this.lifecycles.write([prepared]);
    if (written === undefined) throw new Error('A locked execution was changed meanwhile');
    prepared.draft?.send();
    return { outcome: 'changed', execution: written.execution, change: decision };
  }

  /**
   * Decides and writes a batch without locks. Commands for one execution that cannot be one write, and those that were
   * decided on an outdated row, are left for the next batch; what somebody else has changed meanwhile is decided again under
   * a lock.
   */
  private async commit(sent: readonly Sent[], done: ReportResult<Sent, Outcome>): Promise<void> {
    const rows = await this.rowsOf(sent);
    const plans = this.plan(sent, rows, done);
    await this.write([...plans.values()], rows, done);
  }

  private async rowsOf(sent: readonly Sent[]): Promise<Rows> {
    const refs = distinctBy(
      sent.map(({ ref }) => ref),
      keyOf,
    );
    const now = this.clock.millis();
    const known = refs.flatMap((ref) => this.known.get(ref, now) ?? []);
    const all = new Map(known.map((row) => [keyOfRow(row), row]));
    const isKnown = new Set(all.keys());
    const read = await this.lifecycles.read(refs.filter((ref) => !isKnown.has(keyOf(ref))));
    for (const row of read) all.set(keyOfRow(row), row);
    return { all, known: isKnown };
  }

  /** Decides the commands, and reports the outcomes of those that write nothing. */
  private plan(sent: readonly Sent[], rows: Rows, done: ReportResult<Sent, Outcome>): ReadonlyMap<string, Planned> {
    const plans = new Map<string, Planned>();
    const full = new Set<string>();
    for (const one of sent) {
      const key = keyOf(one.ref);
      const row = rows.all.get(key);
      if (row === undefined) done(one, { outcome: 'missing' });
      if (row === undefined || full.has(key)) continue;
      const planned = plans.get(key);
      const now = this.clock.now();
      const current = planned === undefined ? row : after(row, planned.prepared.change);
      const decision = decide(current, one.command, { now, at: row.at });
      if (decision.outcome !== 'changed') {
        // A refusal must not depend on a write that is not committed, nor on a row that may be outdated.
        full.add(key);
        if (rows.known.has(key)) this.known.delete(one.ref);
        else if (planned === undefined) done(one, decision);
        continue;
      }
      const folded = planned === undefined ? decision : fold(planned.prepared.change, decision);
      if (folded === undefined) {
        full.add(key);
        continue;
      }
      const prepared = one.inContext(() => this.prepare(row, folded, now));
      plans.set(key, { prepared, senders: [...(planned?.senders ?? []), { sent: one, change: decision }] });
    }
    return plans;
  }

  private async write(plans: readonly Planned[], { known }: Rows, done: ReportResult<Sent, Outcome>): Promise<void> {
    if (plans.length === 0) return;
    const written = await this.lifecycles.write(plans.map(({ prepared }) => prepared));
    const now = this.clock.millis();
    for (const [index, { prepared, senders }] of plans.entries()) {
      const result = written[index];
      if (result === undefined) {
        this.known.delete(refOf(prepared.row));
        if (!known.has(keyOfRow(prepared.row))) this.again(senders, done);
      } else {
        this.known.set(result.row, now);
        senders.at(-1)?.sent.inContext(() => prepared.draft?.send());
        for (const { sent, change } of senders) done(sent, { outcome: 'changed', execution: result.execution, change });
      }
    }
  }

  /**
   * Applies commands whose execution somebody else has changed or locked, one after the other and under a lock. The batch
   * does not wait for them.
   */
  private again(senders: Planned['senders'], done: ReportResult<Sent, Outcome>): void {
    let before: Promise<unknown> = Promise.resolve();
    for (const { sent } of senders) {
      const { ref, command, inContext } = sent;
      const outcome = before.then(() =>
        inContext(() => this.database.transaction(() => this.applyLocked(ref, command))),
      );
      before = outcome.catch(() => undefined);
      done(sent, outcome);
    }
  }

  private prepare(row: LifecycleSnapshot, change: Change, now: Date): Prepared {
    const draft = inSpanOf(row, () => this.draftOf(row, change));
    return { row, change, now, draft, messages: draft?.rows };
  }

  private draftOf(row: LifecycleSnapshot, { message }: Change): OutboxDraft | undefined {
    if (message === undefined) return undefined;
    const ref = refOf(row);
    if (message.topic === 'queued') {
      const { queueId, attempt, dueAt } = message;
      return this.outbox.dueDraft(executionQueued, { dueAt, payload: { ...ref, attempt, queueId } });
    }
    const { topic: _topic, ...end } = message;
    const inSession = row.session_turn === null ? {} : { inSession: true as const };
    return this.outbox.draft(executionFinished, { ...ref, ...end, ...inSession });
  }
}

function refOf({ organization_id: organizationId, id: executionId }: LifecycleSnapshot): ExecutionRef {
  return { organizationId, executionId };
}

function keyOfRow(row: LifecycleSnapshot): string {
  return keyOf(refOf(row));
}

/** Returns about how many bytes a command has. */
function sizeOf(command: SentCommand): number {
  if (!('fields' in command)) return 0;
  const { response, error_message, usage, execution_metadata } = command.fields;
  const objects = [usage, execution_metadata].filter((value) => value !== undefined);
  const length = (response?.length ?? 0) + (error_message?.length ?? 0);
  return objects.reduce((sum, value) => sum + JSON.stringify(value).length, length);
}
