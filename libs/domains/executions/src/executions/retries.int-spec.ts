import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { RedisConnections } from '@app/redis';
import { DispatchHandlersModule } from '@app/dispatch';
import { newId, type JsonObject, type Scope } from '@app/kernel';
import { ModelService } from '@app/models';
import { createTestContext, eventually, ManualClock, type TestContext } from '@app/testing';
import { ExecutionAnalyticsService } from '../analytics/execution-analytics.service.js';
import { DeliveryService } from '../worker-deliveries/delivery.service.js';
import { ExecutionsModule } from '../executions.module.js';
import { JobRunsService } from '../job-runs/job-runs.service.js';
import { LeaseReleaseService } from '../leases/lease-release.service.js';
import { LeaseService } from '../leases/lease.service.js';
import type { LeasedExecution } from '../leases/lease.types.js';
import { passLeaseTime, startRequest } from '../testing/execution-fixtures.js';
import { OpenGateModule } from '../testing/open-gate.module.js';
import { ExecutionService } from './execution.service.js';
import type { UpdateExecution } from './execution.types.js';

const LEASE_MS = 60_000;
const JOB = 'job-1';
const FAILED = { status: 'failed', error_message: 'The model is down' } as const;

describe('retries and time limits', () => {
  const clock = new ManualClock();
  let context: TestContext;
  let executions: ExecutionService;
  let leases: LeaseService;
  let releases: LeaseReleaseService;

  beforeAll(async () => {
    context = await createTestContext([OpenGateModule, ExecutionsModule, DispatchHandlersModule], { clock });
    executions = context.get(ExecutionService);
    leases = context.get(LeaseService);
    releases = context.get(LeaseReleaseService);
  });

  afterAll(() => context.close());

  interface Run extends Scope {
    readonly id: string;
    readonly queueId: string;
    readonly workerId: string;
  }

  async function newRun(config: JsonObject): Promise<Run> {
    const scope = { organizationId: newId(), queueId: newId(), workerId: newId() };
    const { id } = await executions.start(scope, { ...startRequest(scope.queueId), jobId: JOB, config });
    return { ...scope, id };
  }

  const retrying = (policy: JsonObject): Promise<Run> => newRun({ retry_policy: { retry_on: ['failed'], ...policy } });

  function poll(run: Run, waitMs = 10_000): Promise<LeasedExecution[]> {
    return leases.poll(run, { ...run, max: 1, waitMs, leaseMs: LEASE_MS, confirmMs: LEASE_MS });
  }

  /** Leases the execution and sets it to running. Returns the token. */
  async function begin(run: Run, attempt = 1): Promise<string> {
    const [lease] = await poll(run);
    expect(lease).toMatchObject({ attempt });
    const token = lease?.leaseToken ?? '';
    await executions.patch(run, run.id, { status: 'running' }, token);
    return token;
  }

  const report = (run: Run, update: UpdateExecution, token: string | null): Promise<{ status: string }> =>
    executions.patch(run, run.id, update, token);

  interface Row {
    readonly status: string;
    readonly attempt: number;
    readonly queued_at: Date | null;
    readonly timeout_left_ms: number | null;
  }

  async function rowOf(run: Run): Promise<Row | undefined> {
    const values = [run.organizationId, run.id];
    const columns = 'status, attempt, queued_at, timeout_left_ms';
    const rows = await context.database.sql<Row>(
      `SELECT ${columns} FROM executions WHERE organization_id = $1 AND id = $2`,
      values,
    );
    return rows[0];
  }

  /** Milliseconds until the next attempt is due. */
  async function delayOf(run: Run): Promise<number | undefined> {
    const { queued_at: at } = (await rowOf(run)) ?? {};
    return at == null ? undefined : at.getTime() - clock.millis();
  }

  it('queues a reported failure again after a growing delay, until no attempt is left', async () => {
    const run = await retrying({ max_attempts: 3, backoff: { delay_seconds: 30 } });
    for (const [attempt, delay] of [
      [1, 30_000],
      [2, 60_000],
    ] as const) {
      const token = await begin(run, attempt);
      const reported = await report(run, { ...FAILED, completed_at: clock.now(), usage: { total_tokens: 7 } }, token);
      expect(reported).toMatchObject({ status: 'pending', completed_at: null, error_message: FAILED.error_message });
      expect(await rowOf(run)).toMatchObject({ status: 'pending', attempt: attempt + 1 });
      expect(await delayOf(run)).toBe(delay);
      expect(await poll(run, 0)).toEqual([]);
      clock.advance(delay);
    }
    const token = await begin(run, 3);
    expect(await executions.read(run, run.id)).toMatchObject({ status: 'running', error_message: null });
    expect(await report(run, FAILED, token)).toMatchObject({ status: 'failed' });
    expect((await context.get(JobRunsService).countsOf(run, [JOB])).get(JOB)).toMatchObject({ total: 1, failed: 1 });
  });

  interface Used extends JsonObject {
    readonly model: string;
    readonly prompt_tokens: number;
  }

  async function usageOf(run: Run): Promise<unknown> {
    const { usage } = await executions.read(run, run.id);
    const summary = await context.get(ExecutionAnalyticsService).summary(run, {});
    return { usage, tokens: summary.total_tokens, cost: summary.cost, models: summary.by_model.map(({ key }) => key) };
  }

  const used = (tokens: number, model = 'dear'): Used => ({ model, prompt_tokens: tokens, requests: 1 });

  async function newPricedRun(config: JsonObject): Promise<Run> {
    const run = await newRun(config);
    for (const [value, input] of [
      ['dear', 10],
      ['cheap', 1],
    ] as const) {
      await context.get(ModelService).create(run, { value, label: value, provider: 'p', pricing: { input } });
    }
    return run;
  }

  it('adds up what failed attempts used, at the prices of their models', async () => {
    const run = await newPricedRun({ retry_policy: { retry_on: ['failed'], backoff: { delay_seconds: 0 } } });
    await report(run, { ...FAILED, usage: { ...used(1_000_000), note: 'first' } }, await begin(run));
    const token = await begin(run, 2);
    for (const tokens of [500_000, 2_000_000]) await report(run, { usage: used(tokens, 'cheap') }, token);
    await report(run, FAILED, token);
    expect((await begin(run, 3)) !== token).toBe(true);
    expect(await usageOf(run)).toEqual({
      usage: { model: 'cheap', prompt_tokens: 3_000_000, requests: 2, note: 'first' },
      ...{ tokens: 3_000_000, cost: 12, models: ['cheap'] },
    });
    await report(run, { ...FAILED, usage: used(3_000_000, 'cheap') }, null);
    await report(run, { usage: used(4_000_000, 'cheap') }, null);
    expect(await usageOf(run)).toMatchObject({ usage: { prompt_tokens: 7_000_000, requests: 3 }, cost: 16 });
  });

  it('adds up what lost, timed out and returned attempts had reported', async () => {
    const run = await newPricedRun({
      timeout_seconds: 30,
      retry_policy: { max_attempts: 4, retry_on: ['lost', 'timeout'], backoff: { delay_seconds: 0 } },
    });
    await report(run, { usage: used(1) }, await begin(run));
    await leases.releaseAll(run, run.workerId, 'crash');
    await report(run, { usage: used(2) }, await begin(run, 2));
    await leases.releaseAll(run, run.workerId, 'shutdown');
    await report(run, { usage: used(4) }, await begin(run, 2));
    await passLeaseTime(context.database, LEASE_MS + 1000);
    await releases.reapExpired();
    await report(run, { usage: used(8) }, await begin(run, 3));
    await passLeaseTime(context.database, LEASE_MS + 31_000);
    await releases.endTimedOut();
    const [lease] = await poll(run);
    expect(lease).toMatchObject({
      attempt: 4,
      execution: { usage: { prompt_tokens: 15 }, earlier_usage: { usage: { prompt_tokens: 15 }, total_tokens: 15 } },
    });
    await report(run, { status: 'completed', usage: used(16) }, lease?.leaseToken ?? '');
    expect(await usageOf(run)).toMatchObject({ usage: { prompt_tokens: 31, requests: 5 }, tokens: 31 });
  });

  it('adds numbers of any size without failing', async () => {
    const run = await retrying({ max_attempts: 9, backoff: { delay_seconds: 0 } });
    const usage = { prompt_tokens: 1e308, nested: { a: 1 }, text: 'a', ...{ both: 1, little: 5e-324, negative: -1 } };
    for (const attempt of [1, 2, 3])
      await report(run, { ...FAILED, usage: { ...usage, both: attempt > 1 ? 'x' : 1 } }, await begin(run, attempt));
    expect(await executions.read(run, run.id)).toMatchObject({
      usage: { ...usage, both: 'x', little: 1.5e-323, negative: -3 },
    });
  });

  it('does not change a fixed delay, and limits a growing one to a day', async () => {
    const fixed = await retrying({ backoff: { type: 'fixed', delay_seconds: 30 } });
    const growing = await retrying({ max_attempts: 3, backoff: { delay_seconds: 60_000 } });
    for (const [attempt, delay] of [
      [1, 60_000_000],
      [2, 86_400_000],
    ] as const) {
      for (const run of [fixed, growing]) await report(run, FAILED, await begin(run, attempt));
      expect(await delayOf(growing)).toBe(delay);
      if (attempt === 1) expect(await delayOf(fixed)).toBe(30_000);
      clock.advance(delay);
    }
  });

  it.each([
    [{}, {}, 'failed'],
    [{ retry_on: ['timeout', 'lost'] }, {}, 'failed'],
    [{ retry_on: ['timeout'] }, { failure_reason: 'timeout' }, 'pending'],
    [{ retry_on: ['failed'] }, { failure_reason: 'timeout' }, 'failed'],
    [{ retry_on: ['failed'], max_attempts: 1 }, {}, 'failed'],
    [{ retry_on: [] }, {}, 'failed'],
  ] as const)('with the policy %j, a reported failure with %j sets the status %s', async (policy, reason, expected) => {
    const run = await newRun({ retry_policy: policy });
    expect(await report(run, { ...FAILED, ...reason }, await begin(run))).toMatchObject({ status: expected });
  });

  it('treats a failure that is reported after the time limit as a time-out', async () => {
    const run = await newRun({ timeout_seconds: 30, retry_policy: { retry_on: ['timeout'] } });
    const token = await begin(run);
    await passLeaseTime(context.database, 31_000);
    expect(await report(run, FAILED, token)).toMatchObject({ status: 'pending' });
  });

  it('rejects late reports of an ended attempt, and ignores a repeated report without a token', async () => {
    const run = await retrying({ backoff: { delay_seconds: 60 } });
    const token = await begin(run);
    await report(run, FAILED, null);
    const rejection = { code: 'lease_lost' };
    await expect(report(run, FAILED, token)).rejects.toMatchObject(rejection);
    await expect(report(run, { status: 'completed' }, token)).rejects.toMatchObject(rejection);
    expect(await report(run, FAILED, null)).toMatchObject({ status: 'pending' });
    expect(await executions.reportJobStatus(run, run.id, JOB, { status: 'failed' }, null)).toMatchObject({
      status: 'pending',
    });
    expect(await rowOf(run)).toMatchObject({ attempt: 2 });
    expect(await delayOf(run)).toBe(60_000);
  });

  it('does not retry after a cancellation during the delay, nor after a failure that no attempt can avoid', async () => {
    const cancelled = await retrying({ backoff: { delay_seconds: 5 } });
    await report(cancelled, FAILED, await begin(cancelled));
    expect(await executions.cancel(cancelled, cancelled.id, null)).toMatchObject({ status: 'cancelled' });
    const broken = await retrying({});
    expect(await executions.fail(broken, broken.id, 'No such agent', await begin(broken))).toMatchObject({
      status: 'failed',
    });
    clock.advance(5000);
    await eventually(async () => {
      const ids = [[cancelled.id, broken.id]];
      const messages = `SELECT 1 AS one FROM outbox WHERE payload->>'executionId' = ANY($1)`;
      expect(await context.database.sql(messages, ids)).toEqual([]);
    });
    expect(await poll(cancelled, 0)).toEqual([]);
  });

  it('is not queued before its time when a lost queue is restored', async () => {
    const run = await retrying({ backoff: { delay_seconds: 5 } });
    await report(run, FAILED, await begin(run));
    const deliveries = context.get(DeliveryService);
    await deliveries.restoreLostStore(new AbortController().signal);
    await context.get(RedisConnections).commands.flushdb();
    await deliveries.restoreLostStore(new AbortController().signal);
    expect(await poll(run, 0)).toEqual([]);
    clock.advance(5000);
    expect(await begin(run, 2)).toEqual(expect.any(String));
  });

  it('ends an attempt that exceeds its time limit by more than a lease, and sends a command to its worker', async () => {
    const run = await newRun({ timeout_seconds: 30 });
    const token = await begin(run);
    await passLeaseTime(context.database, 30_000 + LEASE_MS - 5000);
    await releases.endTimedOut();
    expect(await rowOf(run)).toMatchObject({ status: 'running' });
    await passLeaseTime(context.database, 6000);
    await releases.endTimedOut();
    expect(await executions.read(run, run.id)).toMatchObject({
      status: 'failed',
      error_message: 'The execution did not finish within 30 s',
    });
    expect(await leases.commandsFor(run, run.workerId)).toEqual([{ command: 'cancel', execution_id: run.id }]);
    await expect(report(run, { status: 'completed' }, token)).rejects.toMatchObject({ code: 'lease_lost' });
    expect((await context.get(JobRunsService).countsOf(run, [JOB])).get(JOB)).toMatchObject({ total: 1, failed: 1 });
  });

  it('retries an attempt that exceeds its time limit if the policy names time-outs', async () => {
    const policy = { max_attempts: 2, retry_on: ['timeout'], backoff: { delay_seconds: 5 } };
    const run = await newRun({ timeout_seconds: 30, retry_policy: policy });
    for (const attempt of [1, 2]) {
      await begin(run, attempt);
      await passLeaseTime(context.database, 31_000 + LEASE_MS);
      await releases.endTimedOut();
      if (attempt === 1) expect(await delayOf(run)).toBe(5000);
      clock.advance(5000);
    }
    expect(await rowOf(run)).toMatchObject({ status: 'failed', attempt: 2 });
  });

  it('does not count the time that a run is paused or waits for input', async () => {
    const run = await newRun({ timeout_seconds: 30 });
    const token = await begin(run);
    await passLeaseTime(context.database, 20_000);
    for (const status of ['paused', 'waiting_for_input'] as const) {
      await report(run, { status }, token);
      const { timeout_left_ms: left } = (await rowOf(run)) ?? {};
      expect(left).toBeLessThanOrEqual(10_000);
      await passLeaseTime(context.database, 31_000 + LEASE_MS);
      await releases.endTimedOut();
      await report(run, { status: 'running' }, token);
    }
    await passLeaseTime(context.database, 10_000 + LEASE_MS);
    await releases.endTimedOut();
    expect(await rowOf(run)).toMatchObject({ status: 'failed' });
  });

  it('marks a lost attempt as failed at once if the policy does not name lost attempts', async () => {
    const run = await retrying({});
    await begin(run);
    await leases.releaseAll(run, run.workerId, 'crash');
    expect(await rowOf(run)).toMatchObject({ status: 'failed', attempt: 1 });
  });
});
