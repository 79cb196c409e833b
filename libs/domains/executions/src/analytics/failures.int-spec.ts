import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { newId, type Scope } from '@app/kernel';
import { createTestContext, ManualClock, type TestContext } from '@app/testing';
import { OpenGateModule } from '../testing/open-gate.module.js';
import { ExecutionService } from '../executions/execution.service.js';
import type { CreateExecution, UpdateExecution } from '../executions/execution.types.js';
import { ExecutionsModule } from '../executions.module.js';
import { LeaseReleaseService } from '../leases/lease-release.service.js';
import { LifecycleRepository, type LifecycleSnapshot } from '../lifecycle/lifecycle.repository.js';
import { LifecycleService } from '../lifecycle/lifecycle.service.js';
import { LeaseRepository } from '../leases/lease.repository.js';
import { passLeaseTime, startRequest } from '../testing/execution-fixtures.js';
import { ExecutionAnalyticsService } from './execution-analytics.service.js';
import { failureCause } from '../executions/failure-cause.js';
import { FIND_FAILURES } from './failures.sql.js';

const HOUR_MS = 3_600_000;

describe('the failures of a period', () => {
  const clock = new ManualClock();
  let context: TestContext;
  let executions: ExecutionService;
  let analytics: ExecutionAnalyticsService;
  let scope: Scope;

  beforeAll(async () => {
    context = await createTestContext([OpenGateModule, ExecutionsModule], { clock });
    executions = context.get(ExecutionService);
    analytics = context.get(ExecutionAnalyticsService);
  });

  beforeEach(() => {
    scope = { organizationId: newId() };
    clock.advance(1000 * HOUR_MS);
  });

  afterAll(() => context.close());

  async function fail(error: string | null, request: Partial<CreateExecution> = {}): Promise<string> {
    const { id } = await executions.start(scope, { ...startRequest(newId()), ...request });
    await executions.patch(scope, id, { status: 'failed', ...(error === null ? {} : { error_message: error }) }, null);
    return id;
  }

  async function causeOf(id: string): Promise<string | null | undefined> {
    const text = 'SELECT cause FROM executions WHERE organization_id = $1 AND id = $2';
    const [row] = await context.database.sql<{ cause: string | null }>(text, [scope.organizationId, id]);
    return row?.cause;
  }

  it('are grouped by cause, the most frequent first, and compared with the preceding period', async () => {
    await fail('The model gateway responded with 500: overloaded');
    clock.advance(24 * HOUR_MS);
    const firstAt = clock.now();
    await fail('Cannot open "a"', { entityId: 'a', entityName: 'A' });
    clock.advance(HOUR_MS);
    await fail('The model gateway responded with 503: overloaded', { entityId: 'b', entityName: 'B' });
    await fail('Cannot open "b"', { entityId: 'b', entityName: 'B' });
    clock.advance(HOUR_MS);
    const last = await fail('Cannot open "c"\nin detail', { entityId: 'b', entityName: 'B, renamed' });
    const completed = await executions.start(scope, startRequest(newId()));
    await executions.patch(scope, completed.id, { status: 'completed', error_message: 'Cannot open "d"' }, null);
    clock.advance(HOUR_MS);
    const from = new Date(clock.now().getTime() - 24 * HOUR_MS);
    expect(await analytics.failures(scope, {}, {}, 20)).toEqual({
      from,
      to: clock.now(),
      failed: 4,
      failed_before: 1,
      groups: [
        {
          cause: failureCause('Cannot open "z"'),
          kind: 'other',
          title: 'Cannot open {text}',
          example: 'Cannot open "c"\nin detail',
          count: 3,
          count_before: 0,
          first_at: firstAt,
          last_at: new Date(firstAt.getTime() + 2 * HOUR_MS),
          entities: [
            { id: 'b', name: 'B, renamed', count: 2 },
            { id: 'a', name: 'A', count: 1 },
          ],
          last_execution_id: last,
        },
        expect.objectContaining({ kind: 'model', count: 1, count_before: 1 }),
      ],
    });
    const limited = await analytics.failures(scope, {}, {}, 1);
    expect([limited.failed, limited.groups.length]).toEqual([4, 1]);
    expect((await analytics.failures({ organizationId: newId() }, {}, {}, 20)).groups).toEqual([]);
  });

  it('can be restricted to an entity, a job and a queue', async () => {
    const queue = newId();
    await fail('x', {
      entityId: 'a',
      jobId: 'job-1',
      assignment: { workerQueueId: queue, environmentId: 'e' },
    } as object);
    await fail('x', { entityId: 'a' });
    await fail('y', { entityId: 'b', jobId: 'job-1' });
    clock.advance(1);
    const count = async (filter: object): Promise<number> => (await analytics.failures(scope, {}, filter, 20)).failed;
    expect(await count({})).toBe(3);
    expect(await count({ entityId: 'a' })).toBe(2);
    expect(await count({ jobId: 'job-1' })).toBe(2);
    expect(await count({ workerQueueId: queue })).toBe(1);
    expect(await count({ entityId: 'b', workerQueueId: queue })).toBe(0);
  });

  it('have totals of 0 without failed executions, and reject a period of more than 7 days', async () => {
    expect(await analytics.failures(scope, {}, {}, 20)).toMatchObject({ failed: 0, failed_before: 0, groups: [] });
    const to = clock.now();
    const failures = (length: number): Promise<unknown> =>
      analytics.failures(scope, { from: new Date(to.getTime() - length), to }, {}, 20);
    await expect(failures(7 * 24 * HOUR_MS)).resolves.toBeDefined();
    await expect(failures(7 * 24 * HOUR_MS + 1)).rejects.toThrow('at most 7 days');
    await expect(failures(0)).rejects.toThrow('after its beginning');
  });

  it('have the cause of the last error message, whichever statement ended the execution', async () => {
    expect(await causeOf(await fail(null))).toBe(failureCause(null));
    const { id: early } = await executions.start(scope, startRequest(newId()));
    const write = (fields: UpdateExecution): Promise<unknown> => executions.patch(scope, early, fields, null);
    await write({ error_message: 'first attempt: 1' });
    await write({ status: 'failed' });
    expect(await causeOf(early)).toBe(failureCause('first attempt: 2'));
    await write({ error_message: 'better known now' });
    expect(await causeOf(early)).toBe(failureCause('better known now'));
    const denied = await executions.startFailed(scope, startRequest(newId()), 'Denied by policy "p"');
    expect(await causeOf(denied.id)).toBe(failureCause('Denied by policy "p"'));
    const queue = newId();
    const orphan = await executions.start(scope, startRequest(queue));
    const reason = `The worker queue ${queue} is gone`;
    const waiting = (): Promise<LifecycleSnapshot[]> => context.get(LifecycleRepository).lockWaitingIn(queue, 10);
    await context.get(LifecycleService).applyToChosen(waiting, { name: 'abandon', reason });
    expect(await causeOf(orphan.id)).toBe(failureCause('The worker queue 1 is gone'));
  });

  it('of lost workers have one cause, whatever the number of attempts', async () => {
    const lost: (string | null | undefined)[] = [];
    for (const attempts of [1, 2]) {
      const queue = newId();
      const { id } = await executions.start(scope, {
        ...startRequest(queue),
        config: { retry_policy: { max_attempts: attempts } },
      });
      for (let attempt = 1; attempt <= attempts; attempt += 1) {
        const claim = { executionId: id, attempt, token: newId() };
        const claimer = { queueId: queue, workerId: newId(), confirmMs: 1000, leaseMs: 1000, runnerName: null };
        await context.get(LeaseRepository).claim(scope, claim, claimer);
        await passLeaseTime(context.database, 2000);
        while (await context.get(LeaseReleaseService).reapExpired());
      }
      expect((await executions.read(scope, id)).status).toBe('failed');
      lost.push(await causeOf(id));
    }
    expect(lost).toEqual(Array(2).fill(failureCause('The worker stopped responding (attempt 3 of 3)')));
  });

  it('are read from an index that contains failed executions only', async () => {
    await context.database.sql(`INSERT INTO executions (organization_id, id, execution_type, entity_id, status, cause,
        usage, execution_metadata, participants, created_at, completed_at, updated_at, trigger_metadata, config,
        execution_environment, attempt, max_attempts)
      SELECT 'explained', 'e' || n, 'agent', 'a', CASE WHEN n % 10 = 0 THEN 'failed' ELSE 'completed' END, 'c', '{}', '{}',
        '[]', now(), now() - n * interval '1 minute', now(), '{}', '{}', '{}', 1, 3 FROM generate_series(1, 20000) n`);
    await context.database.sql('VACUUM ANALYZE executions');
    const [from, to] = [new Date(Date.now() - 24 * HOUR_MS), new Date()];
    const values = [
      'explained',
      new Date(from.getTime() - 24 * HOUR_MS),
      from,
      to,
      null,
      null,
      null,
      20,
      failureCause(null),
    ];
    const plan = await context.database.sql<{ 'QUERY PLAN': string }>(`EXPLAIN ${FIND_FAILURES}`, values);
    expect(plan.map((line) => line['QUERY PLAN']).join('\n')).toMatch(
      /Index Only Scan using ix_executions_organization_id_failed/,
    );
  });
});
