import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DomainError, newId, type Scope } from '@app/kernel';
import { createTestContext, testCaller, type TestContext } from '@app/testing';
import fc from 'fast-check';
import { EXECUTION_STATUSES, FINAL_STATUSES, isFinal, mayBecome, type ExecutionStatus } from './execution-state.js';
import { ExecutionService } from './execution.service.js';
import { JOB_RUN_STATUSES, type JobRunStatus } from './execution.types.js';
import { ExecutionsModule } from '../executions.module.js';
import { JobRunsService } from '../job-runs/job-runs.service.js';
import { LeaseReleaseService } from '../leases/lease-release.service.js';
import { LeaseService } from '../leases/lease.service.js';
import { ConversationService } from '../sessions/conversation.service.js';
import { SessionService } from '../sessions/session.service.js';
import { startRequest } from '../testing/execution-fixtures.js';
import { expectTimeline } from '../testing/timeline-checks.js';
import { TimelineService } from '../timeline/timeline.service.js';
import { OpenGateModule } from '../testing/open-gate.module.js';

const MAX_ATTEMPTS = 2;
const JOB = 'job-1';

type Writer = 'no holder' | 'holder' | 'former holder';
type Step =
  | { readonly do: 'write'; readonly status: ExecutionStatus; readonly by: Writer }
  | { readonly do: 'report'; readonly status: JobRunStatus; readonly by: Writer }
  | { readonly do: 'wait'; readonly by: Writer }
  | { readonly do: 'lease' | 'send' | 'expire' | 'stop' | 'crash' | 'cancel' | 'pause' | 'resume' };

const writer = fc.constantFrom<Writer>('no holder', 'holder', 'holder', 'former holder');
/** Open states are more probable, so that runs make progress. */
const status = fc.oneof(
  fc.constantFrom<ExecutionStatus>('running', 'waiting_for_input', 'paused'),
  fc.constantFrom(...EXECUTION_STATUSES),
);
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ do: fc.constant('write' as const), status, by: writer }) },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('report' as const),
      status: fc.constantFrom(...JOB_RUN_STATUSES),
      by: writer,
    }),
  },
  { weight: 4, arbitrary: fc.constant({ do: 'lease' as const }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('wait' as const), by: writer }) },
  { weight: 1, arbitrary: fc.constant({ do: 'send' as const }) },
  {
    weight: 3,
    arbitrary: fc.constantFrom<'expire' | 'stop' | 'crash'>('expire', 'stop', 'crash').map((kind) => ({ do: kind })),
  },
  {
    weight: 2,
    arbitrary: fc
      .constantFrom<'cancel' | 'pause' | 'resume'>('cancel', 'pause', 'resume')
      .map((kind) => ({ do: kind })),
  },
);

const leasedAndRunning: readonly Step[] = [{ do: 'lease' }, { do: 'write', status: 'running', by: 'holder' }];

/** Most runs begin with typical steps, so that rare states are reached. */
const steps = fc
  .tuple(
    fc.constantFrom<readonly Step[]>(
      [],
      leasedAndRunning,
      [...leasedAndRunning, { do: 'pause' }, { do: 'crash' }],
      [...leasedAndRunning, { do: 'wait', by: 'holder' }],
    ),
    fc.array(step, { minLength: 1, maxLength: 25 }),
  )
  .map(([first, rest]): readonly Step[] => [...first, ...rest]);

/** The steps that resume a suspended execution. */
const resumption = fc.constantFrom<Step>(
  { do: 'resume' },
  { do: 'write', status: 'running', by: 'no holder' },
  { do: 'report', status: 'running', by: 'no holder' },
);

type Outcome = 'done' | 'lease_lost' | 'execution_transition_refused' | 'execution_finished';

/** The causes of failures that are retried. */
const repeated = fc.subarray<'failed' | 'lost'>(['failed', 'lost']);

/** Reference model of one execution. */
class Model {
  status: ExecutionStatus = 'pending';
  attempt = 1;
  leased = false;
  leases = 0;
  /** Its lease was released while it was paused, or to wait for input. No queue delivers it until it is resumed. */
  suspended = false;
  /** A client without a lease set the execution to running before a worker leased it. No worker can lease it then. */
  ownedWithoutLease = false;
  /** Whether messages were sent to the run. No worker stores them in this test. */
  hasInput = false;
  current: string | null = null;
  former = 'never-issued';
  started = false;
  completed = false;

  constructor(private readonly retryOn: readonly string[]) {}

  tokenOf(by: Writer): string | null {
    return by === 'no holder' ? null : by === 'holder' ? (this.current ?? 'none') : this.former;
  }

  write(to: ExecutionStatus, by: Writer): Outcome {
    const token = this.tokenOf(by);
    if (token !== null && token !== this.current) return 'lease_lost';
    if (!mayBecome(this.status, to)) return 'execution_transition_refused';
    if (to === 'failed' && this.awaitsRetry(token)) return 'done';
    if (to === 'failed' && this.isRepeated()) this.repeat();
    else if (to === 'running' && this.suspended) this.requeue();
    else if (this.status !== to) this.become(to, token);
    return 'done';
  }

  report(to: JobRunStatus, by: Writer): Outcome {
    return this.write(to === 'pending' ? this.status : to, by);
  }

  wait(by: Writer): Outcome {
    const token = this.tokenOf(by);
    if (token !== null && token !== this.current) return 'lease_lost';
    if (!this.leased || !['running', 'waiting_for_input'].includes(this.status)) return 'execution_transition_refused';
    this.leased = false;
    this.dropToken();
    this.status = this.hasInput ? 'pending' : 'waiting_for_input';
    this.suspended = !this.hasInput;
    return 'done';
  }

  send(): Outcome {
    if (isFinal(this.status)) return 'execution_finished';
    this.hasInput = true;
    if (this.status === 'waiting_for_input' && this.suspended) this.requeue();
    return 'done';
  }

  resume(): Outcome {
    return this.status === 'pending' ? 'execution_transition_refused' : this.write('running', 'no holder');
  }

  lease(token: string): void {
    this.leases += 1;
    this.leased = true;
    this.dropToken();
    this.current = token;
  }

  release(cost: 0 | 1): void {
    if (!this.leased) return;
    this.leased = false;
    this.dropToken();
    if (cost === 1 && (this.attempt === MAX_ATTEMPTS || !this.retryOn.includes('lost'))) {
      this.become('failed', null);
      return;
    }
    this.attempt += cost;
    if (this.status === 'paused') this.suspended = true;
    else this.status = 'pending';
  }

  get canBeLeased(): boolean {
    return this.status === 'pending' && !this.leased;
  }

  /** Returns whether a report without a token repeats one about an attempt that is over. */
  private awaitsRetry(token: string | null): boolean {
    return token === null && this.canBeLeased && this.attempt > 1 && this.retryOn.includes('failed');
  }

  private isRepeated(): boolean {
    const isUnderWay = this.leased || ['running', 'waiting_for_input'].includes(this.status);
    return isUnderWay && this.attempt < MAX_ATTEMPTS && this.retryOn.includes('failed');
  }

  private repeat(): void {
    this.attempt += 1;
    this.status = 'pending';
    this.leased = this.suspended = this.ownedWithoutLease = false;
    this.dropToken();
  }

  private requeue(): void {
    this.status = 'pending';
    this.suspended = false;
  }

  private become(to: ExecutionStatus, token: string | null): void {
    if (this.canBeLeased && to === 'running') this.ownedWithoutLease = true;
    this.status = to;
    if (to === 'running') this.started = true;
    if (!isFinal(to)) return;
    this.completed = true;
    this.leased = this.suspended = this.ownedWithoutLease = false;
    if (token === null) this.dropToken();
  }

  private dropToken(): void {
    if (this.current !== null) this.former = this.current;
    this.current = null;
  }
}

describe('executions, as a state machine', () => {
  let context: TestContext;
  let executions: ExecutionService;
  let leases: LeaseService;
  let timelines: TimelineService;
  let releases: LeaseReleaseService;
  let jobs: JobRunsService;
  let sessions: SessionService;
  let conversations: ConversationService;

  beforeAll(async () => {
    context = await createTestContext([OpenGateModule, ExecutionsModule]);
    executions = context.get(ExecutionService);
    leases = context.get(LeaseService);
    timelines = context.get(TimelineService);
    releases = context.get(LeaseReleaseService);
    jobs = context.get(JobRunsService);
    sessions = context.get(SessionService);
    conversations = context.get(ConversationService);
  });

  afterAll(() => context.close());

  interface Run extends Scope {
    readonly id: string;
    readonly queueId: string;
    readonly workerId: string;
  }

  async function newRun(retryOn: readonly string[] = ['lost']): Promise<Run> {
    const scope = { organizationId: newId(), queueId: newId(), workerId: newId() };
    const backoff = { delay_seconds: 0 };
    const config = { retry_policy: { max_attempts: MAX_ATTEMPTS, retry_on: retryOn, backoff } };
    const { id } = await executions.start(scope, { ...startRequest(scope.queueId), jobId: JOB, config });
    return { ...scope, id };
  }

  async function outcomeOf(work: Promise<unknown>): Promise<Outcome> {
    try {
      await work;
      return 'done';
    } catch (error) {
      if (error instanceof DomainError && error.kind === 'conflict') return error.code as Outcome;
      throw error;
    }
  }

  async function lease(run: Run, model: Model): Promise<void> {
    const waitMs = model.canBeLeased ? 3000 : 0;
    const [leased] = await leases.poll(run, { ...run, max: 1, waitMs, leaseMs: 60_000, confirmMs: 60_000 });
    expect(leased !== undefined).toBe(model.canBeLeased);
    if (leased === undefined) return;
    expect(leased.attempt).toBe(model.attempt);
    model.lease(leased.leaseToken);
  }

  async function expire(run: Run): Promise<void> {
    await context.database.sql(
      `UPDATE executions SET lease_expires_at = now() - interval '1 second'
       WHERE organization_id = $1 AND lease_expires_at IS NOT NULL`,
      [run.organizationId],
    );
    await releases.reapExpired();
  }

  async function apply(run: Run, model: Model, next: Step): Promise<void> {
    switch (next.do) {
      case 'lease':
        return lease(run, model);
      case 'expire':
        await expire(run);
        return model.release(1);
      case 'stop':
        await leases.releaseAll(run, run.workerId, 'shutdown');
        return model.release(0);
      case 'crash':
        await leases.releaseAll(run, run.workerId, 'crash');
        return model.release(1);
      default:
        expect(await outcomeOf(write(run, model, next))).toBe(expectedOutcome(model, next));
    }
  }

  function write(run: Run, model: Model, next: Step): Promise<unknown> {
    switch (next.do) {
      case 'write':
        return executions.patch(run, run.id, { status: next.status }, model.tokenOf(next.by));
      case 'report':
        return executions.reportJobStatus(run, run.id, JOB, { status: next.status }, model.tokenOf(next.by));
      case 'cancel':
        return executions.cancel(run, run.id, null);
      case 'wait':
        return conversations.waitForInput(run, run.id, {}, model.tokenOf(next.by));
      case 'send':
        return sessions.send({ ...testCaller(), ...run }, run.id, { message: 'x' }, null);
      case 'pause':
        return executions.pause(run, run.id, null);
      default:
        return executions.resume(run, run.id, null);
    }
  }

  function expectedOutcome(model: Model, next: Step): Outcome {
    if (next.do === 'write') return model.write(next.status, next.by);
    if (next.do === 'report') return model.report(next.status, next.by);
    if (next.do === 'cancel') return model.write('cancelled', 'no holder');
    if (next.do === 'wait') return model.wait(next.by);
    if (next.do === 'send') return model.send();
    if (next.do === 'pause') return model.write('paused', 'no holder');
    return model.resume();
  }

  async function rowOf(run: Run): Promise<object> {
    const [row] = await context.database.sql(
      `SELECT status, attempt, lease_token AS current, lease_expires_at IS NOT NULL AS leased,
         status IN ('paused', 'waiting_for_input') AND lease_expires_at IS NULL AND queued_at IS NULL AS suspended, started_at IS NOT NULL AS started, completed_at IS NOT NULL AS completed
       FROM executions WHERE organization_id = $1 AND id = $2`,
      [run.organizationId, run.id],
    );
    return row ?? {};
  }

  /**
   * Checks that an execution that has not ended is leased, is run by a client, waits for a worker, or waits to be
   * resumed.
   */
  function expectNotLost({ status: now, leased, suspended, ownedWithoutLease, canBeLeased }: Model): void {
    expect([isFinal(now), leased, suspended, ownedWithoutLease, canBeLeased].filter(Boolean)).toHaveLength(1);
    if (suspended) expect(['paused', 'waiting_for_input']).toContain(now);
  }

  /** Checks that a suspended or waiting execution reaches the next worker, however it is resumed. */
  async function expectProgress(run: Run, model: Model, resume: Step): Promise<void> {
    if (model.suspended) await apply(run, model, resume);
    const waits = model.canBeLeased;
    await lease(run, model);
    expect(model.leased || model.ownedWithoutLease || isFinal(model.status)).toBe(true);
    if (waits) expect(await rowOf(run)).toMatchObject({ status: 'pending', leased: true });
  }

  async function expectCountsToMatchRows(run: Run): Promise<void> {
    const [rows] = await context.database.sql(
      `SELECT count(*)::integer AS total, count(*) FILTER (WHERE status = 'completed')::integer AS successful,
         count(*) FILTER (WHERE status IN ('failed', 'terminated'))::integer AS failed,
         count(*) FILTER (WHERE status = 'cancelled')::integer AS cancelled
       FROM executions WHERE organization_id = $1 AND job_id = $2`,
      [run.organizationId, JOB],
    );
    expect((await jobs.countsOf(run, [JOB])).get(JOB)).toMatchObject(rows ?? {});
  }

  it('the row matches the model after every step of any sequence', async () => {
    await fc.assert(
      fc.asyncProperty(repeated, steps, resumption, async (retryOn, all, resume) => {
        const [run, model] = [await newRun(retryOn), new Model(retryOn)];
        for (const next of all) {
          await apply(run, model, next);
          const { status: now, attempt, current, leased, suspended, started, completed } = model;
          expect(await rowOf(run)).toEqual({ status: now, attempt, current, leased, suspended, started, completed });
          expectNotLost(model);
          expectTimeline(await timelines.read(run, run.id), model);
          expect(attempt).toBeLessThanOrEqual(MAX_ATTEMPTS);
        }
        await expectProgress(run, model, resume);
        await expectCountsToMatchRows(run);
      }),
      { numRuns: 80 },
    );
  });

  it('exactly one of concurrent final writes succeeds and is counted once, and can be repeated', async () => {
    const finals = fc.array(fc.constantFrom(...FINAL_STATUSES), { minLength: 2, maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(finals, async (statuses) => {
        const run = await newRun();
        const outcomes = await Promise.all(
          statuses.map((to) => outcomeOf(executions.patch(run, run.id, { status: to, response: to }, null))),
        );
        const { status: won, response } = await executions.read(run, run.id);
        expect(statuses).toContain(won);
        expect(response).toBe(won);
        expect(outcomes).toEqual(statuses.map((to) => (to === won ? 'done' : 'execution_transition_refused')));
        await expectCountsToMatchRows(run);
      }),
      { numRuns: 40 },
    );
  });
});
