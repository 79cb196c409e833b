import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { EXECUTION_STATUSES, isFinal } from '../executions/execution-state.js';
import {
  expectedOutcome,
  MAX_ATTEMPTS,
  Model,
  repeated,
  steps,
  type Outcome,
  type Step,
} from '../testing/lifecycle-model.js';
import { commandFor, decide } from './decide.js';
import { after } from './fold.js';
import type { Command, Decision, LifecycleRow, ReleaseCommand, Sender } from './lifecycle.types.js';
import { EFFECTS, PHASES, phaseOf } from './phases.js';

const NOW = new Date('2026-01-01T00:00:00Z');
const TIMES = { now: NOW, at: NOW };
const EXPIRY = new Date(NOW.getTime() + 60_000);
const RELEASES: Readonly<Record<'expire' | 'stop' | 'crash', ReleaseCommand>> = {
  expire: { name: 'release', cost: 1, reason: 'The worker stopped responding', lease: 'expired' },
  stop: { name: 'release', cost: 0, reason: 'The worker shut down', lease: 'handed_back', byWorker: true },
  crash: { name: 'release', cost: 1, reason: 'The worker crashed', lease: 'expired', byWorker: true },
};

function newRow(retryOn: LifecycleRow['retry_on']): LifecycleRow {
  return {
    ...{ organization_id: 'org', id: 'execution', job_id: 'job', worker_queue_id: 'queue', runner_name: null },
    ...{ lease_ms: 60_000, timeout_ms: null, max_attempts: MAX_ATTEMPTS, retry_on: retryOn, retry_delay_ms: 0 },
    ...{ retry_factor: 2, status: 'pending', cause: null, attempt: 1, queued_at: NOW, started_at: null },
    ...{ completed_at: null, updated_at: NOW, lease_token: null, lease_worker_id: null, lease_expires_at: null },
    ...{ command: null, command_at: null, timeout_at: null, timeout_left_ms: null },
    session_turn: null,
  };
}

function by(token: string | null, jobId?: string): Sender {
  return { token, actor: null, ...(jobId === undefined ? {} : { jobId }) };
}

/** An execution in memory, which a worker leases as the database would lease it. */
class InMemory {
  private leases = 0;
  private hasInput = false;

  constructor(public row: LifecycleRow) {}

  apply(command: Command): Outcome {
    const decision = decide(this.row, command, TIMES);
    if (decision.outcome === 'changed') this.row = after(this.row, decision);
    if (decision.outcome !== 'refused') return 'done';
    return decision.why === 'lease_lost' ? 'lease_lost' : 'execution_transition_refused';
  }

  lease(): string | undefined {
    if (this.row.status !== 'pending' || this.row.lease_expires_at !== null) return undefined;
    const token = `token-${(this.leases += 1)}`;
    this.row = { ...this.row, lease_token: token, lease_worker_id: 'worker', lease_expires_at: EXPIRY };
    return token;
  }

  send(): Outcome {
    if (isFinal(this.row.status)) return 'execution_finished';
    this.hasInput = true;
    this.apply({ name: 'wake', by: by(null) });
    return 'done';
  }

  wait(token: string | null): Outcome {
    const outcome = this.apply({ name: 'suspend', by: by(token), fields: {} });
    if (outcome === 'done' && this.hasInput) this.apply({ name: 'wake', by: by(null) });
    return outcome;
  }
}

/** Applies a step to the execution and to the model, and compares the outcomes. */
function applyStep(execution: InMemory, model: Model, next: Step): void {
  switch (next.do) {
    case 'lease': {
      const token = execution.lease();
      expect(token !== undefined).toBe(model.canBeLeased);
      if (token !== undefined) model.lease(token);
      return;
    }
    case 'expire':
    case 'stop':
    case 'crash':
      execution.apply(RELEASES[next.do]);
      model.release(RELEASES[next.do].cost);
      return;
    default:
      expect(outcomeOf(execution, model, next)).toBe(expectedOutcome(model, next));
  }
}

function outcomeOf(execution: InMemory, model: Model, next: Step): Outcome {
  switch (next.do) {
    case 'write':
      return execution.apply({ name: commandFor(next.status), by: by(model.tokenOf(next.by)), fields: {} });
    case 'report': {
      const sender = by(model.tokenOf(next.by), 'job');
      if (next.status === 'pending') return execution.apply({ name: 'report', by: sender, fields: {} });
      return execution.apply({ name: commandFor(next.status), by: sender, fields: {} });
    }
    case 'wait':
      return execution.wait(model.tokenOf(next.by));
    case 'send':
      return execution.send();
    default:
      return execution.apply({ name: next.do as 'cancel' | 'pause' | 'resume', by: by(null), fields: {} });
  }
}

const time = fc.option(fc.constantFrom(NOW, EXPIRY, new Date(0)), { nil: null });
const text = fc.option(fc.constantFrom('a', 'b'), { nil: null });
const anyColumns: fc.Arbitrary<LifecycleRow> = fc.record({
  organization_id: fc.constant('org'),
  id: fc.constant('execution'),
  job_id: text,
  worker_queue_id: text,
  runner_name: text,
  lease_ms: fc.option(fc.constantFrom(1, 60_000), { nil: null }),
  timeout_ms: fc.option(fc.constantFrom(1, 60_000), { nil: null }),
  max_attempts: fc.integer({ min: 1, max: 3 }),
  retry_on: fc.subarray<'failed' | 'timeout' | 'lost'>(['failed', 'timeout', 'lost']),
  retry_delay_ms: fc.constantFrom(0, 5000),
  retry_factor: fc.constantFrom(1, 2),
  status: fc.constantFrom(...EXECUTION_STATUSES),
  cause: text,
  attempt: fc.integer({ min: 1, max: 3 }),
  queued_at: time,
  started_at: time,
  completed_at: time,
  updated_at: fc.constant(NOW),
  lease_token: text,
  lease_worker_id: text,
  lease_expires_at: time,
  command: fc.option(fc.constantFrom('cancel' as const, 'pause' as const, 'resume' as const), { nil: null }),
  command_at: time,
  timeout_at: time,
  timeout_left_ms: fc.option(fc.constantFrom(0, 1000), { nil: null }),
  session_turn: fc.option(fc.constantFrom(1, 2), { nil: null }),
});

/** Executions that have ended have no lease. */
const anyRow = anyColumns.map((row) => (isFinal(row.status) ? { ...row, lease_expires_at: null } : row));

const fields = fc.record({ error_message: text, response: text, completed_at: time }, { requiredKeys: [] });
const sender = fc.record({ token: text, actor: fc.constant(null) });
const anyCommand: fc.Arbitrary<Command> = fc.oneof(
  fc.record({
    name: fc.constantFrom(...EXECUTION_STATUSES.map(commandFor), 'resume' as const),
    by: sender,
    fields,
    withoutRetry: fc.boolean(),
  }),
  fc.record({ name: fc.constantFrom('report' as const, 'suspend' as const), by: sender, fields }),
  fc.record({ name: fc.constant('wake' as const), by: sender }),
  fc.constantFrom<Command>(
    ...Object.values(RELEASES),
    { name: 'time_out' },
    { name: 'take_turn' },
    { name: 'abandon', reason: 'Gone' },
  ),
);

function changesOf(row: LifecycleRow, decision: Decision): string[] {
  if (decision.outcome !== 'changed') return [];
  const { columns } = decision;
  return (['status', 'attempt'] as const).filter((column) => columns[column] !== row[column]);
}

describe('decide', () => {
  it('agrees with the model after every step of any sequence', () => {
    fc.assert(
      fc.property(repeated, steps, (retryOn, all) => {
        const [execution, model] = [new InMemory(newRow(retryOn)), new Model(retryOn)];
        for (const next of all) {
          applyStep(execution, model, next);
          const { status, attempt, lease_token: current, lease_expires_at: expiry } = execution.row;
          expect([status, attempt, current, expiry !== null]).toEqual([
            model.status,
            model.attempt,
            model.current,
            model.leased,
          ]);
          expect(phaseOf(execution.row).startsWith('parked')).toBe(model.suspended);
        }
      }),
      { numRuns: 2000 },
    );
  });

  it('refuses exactly what the table refuses, a foreign token, and the end of a lease that does not exist', () => {
    fc.assert(
      fc.property(anyRow, anyCommand, (row, command) => {
        const decision = decide(row, command, TIMES);
        const isForeign = 'by' in command && command.by.token !== null && command.by.token !== row.lease_token;
        const isImpossible = EFFECTS[phaseOf(row)][command.name] === undefined;
        const endsLease = ['suspend', 'release', 'time_out'].includes(command.name);
        const hasNone =
          (endsLease && row.lease_expires_at === null) || (command.name === 'suspend' && row.worker_queue_id === null);
        expect(decision.outcome === 'refused').toBe(isForeign || isImpossible || hasNone);
      }),
      { numRuns: 10_000 },
    );
  });

  it('notes each change of status or attempt, and sends the message that must follow it', () => {
    fc.assert(
      fc.property(anyRow, anyCommand, (row, command) => {
        const decision = decide(row, command, TIMES);
        if (decision.outcome !== 'changed') return;
        const { columns, note, message } = decision;
        const isChanged = changesOf(row, decision).length > 0;
        if (isChanged) expect(note).toBeDefined();
        const hasEnded = isFinal(columns.status) && !isFinal(row.status);
        expect(message?.topic === 'finished').toBe(hasEnded);
        const phase = phaseOf(after(row, decision));
        const isQueued = phase === 'queued' && (isChanged || phaseOf(row) !== 'queued');
        expect(message?.topic === 'queued').toBe(isQueued);
        if (isQueued) expect(message).toMatchObject({ attempt: columns.attempt, queueId: row.worker_queue_id });
        expect(columns.attempt - row.attempt).toBeLessThanOrEqual(1);
        if (isFinal(columns.status) || phase === 'queued') expect(columns.lease_expires_at).toBeNull();
      }),
      { numRuns: 10_000 },
    );
  });

  it('reaches each phase', () => {
    const reached = new Set(fc.sample(anyRow, { numRuns: 2000, seed: 1 }).map(phaseOf));
    expect([...reached].toSorted()).toEqual([...PHASES].toSorted());
  });
});
