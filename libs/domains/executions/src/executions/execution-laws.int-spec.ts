import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DomainError, newId, type Scope } from '@app/kernel';
import { createTestContext, testCaller, type TestContext } from '@app/testing';
import fc from 'fast-check';
import { FINAL_STATUSES, isFinal } from './execution-state.js';
import { ExecutionService } from './execution.service.js';
import { ExecutionsModule } from '../executions.module.js';
import { JobRunsService } from '../job-runs/job-runs.service.js';
import { LeaseReleaseService } from '../leases/lease-release.service.js';
import { LeaseService } from '../leases/lease.service.js';
import { ConversationService } from '../conversations/conversation.service.js';
import { SessionService } from '../conversations/session.service.js';
import { startRequest } from '../testing/execution-fixtures.js';
import {
  expectedOutcome,
  MAX_ATTEMPTS,
  Model,
  repeated,
  resumption,
  steps,
  type Outcome,
  type Step,
} from '../testing/lifecycle-model.js';
import { expectTimeline } from '../testing/timeline-checks.js';
import { TimelineService } from '../timeline/timeline.service.js';
import { OpenGateModule } from '../testing/open-gate.module.js';

const JOB = 'job-1';

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
