import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { EventLog } from '@app/events';
import { newId } from '@app/kernel';
import { createTestContext, eventually, type TestContext } from '@app/testing';
import { ExecutionService } from '../executions/execution.service.js';
import { ExecutionsModule } from '../executions.module.js';
import { JobRunsService } from '../job-runs/job-runs.service.js';
import { LeaseService } from '../leases/lease.service.js';
import { OpenGateModule } from '../testing/open-gate.module.js';
import { OrphanedWorkService, type FilterExistingQueues } from './orphaned-work.service.js';
import { startRequest } from '../testing/execution-fixtures.js';

describe('OrphanedWorkService', () => {
  const never = new AbortController().signal;
  const scope = { organizationId: newId() };
  let context: TestContext;
  let executions: ExecutionService;

  beforeAll(async () => {
    context = await createTestContext([OpenGateModule, ExecutionsModule]);
    executions = context.get(ExecutionService);
  });

  afterAll(() => context.close());

  /** Simulates that only these queues exist. */
  const existing = (...queueIds: string[]): FilterExistingQueues => {
    return (requested) => Promise.resolve(new Set(requested.filter((id) => queueIds.includes(id))));
  };
  const failOrphaned = (...queueIds: string[]): Promise<void> =>
    context.get(OrphanedWorkService).failOrphaned(existing(...queueIds), never);

  const start = async (queueId: string, jobId?: string): Promise<string> =>
    (await executions.start(scope, { ...startRequest(queueId), ...(jobId === undefined ? {} : { jobId }) })).id;

  it('marks executions of a deleted queue as failed with the reason, counts them for the job and publishes their end', async () => {
    const [queueId, jobId] = [newId(), newId()];
    const id = await start(queueId, jobId);
    await failOrphaned();
    await failOrphaned();
    expect(await executions.read(scope, id)).toMatchObject({
      status: 'failed',
      error_message: `The worker queue ${queueId} no longer exists`,
      completed_at: expect.any(Date),
    });
    const counts = await context.get(JobRunsService).countsOf(scope, [jobId]);
    expect(counts.get(jobId)).toMatchObject({ total: 1, failed: 1, successful: 0 });
    await eventually(async () => {
      const ref = { ...scope, executionId: id };
      const { frames } = await context.get(EventLog).read(ref, 'first');
      expect(frames.map(({ type }) => type)).toEqual(['status', 'done']);
    });
  });

  it('does not change executions of existing queues and leased executions', async () => {
    const [existingId, deletedId] = [newId(), newId()];
    const waiting = await start(existingId);
    const leased = await start(deletedId);
    const poll = { workerId: newId(), queueId: deletedId, max: 1, waitMs: 5000, leaseMs: 60_000, confirmMs: 60_000 };
    expect(await context.get(LeaseService).poll(scope, poll)).toHaveLength(1);
    await failOrphaned(existingId);
    expect(await executions.read(scope, waiting)).toMatchObject({ status: 'pending', error_message: null });
    expect(await executions.read(scope, leased)).toMatchObject({ status: 'pending', error_message: null });
  });
});
