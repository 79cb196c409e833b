import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { EventLog } from '@app/events';
import { newId } from '@app/kernel';
import { createTestContext, eventually, type TestContext } from '@app/testing';
import { ExecutionService } from '../executions/execution.service.js';
import { ExecutionsModule } from '../executions.module.js';
import { JobRunsService } from '../job-runs/job-runs.service.js';
import { LeaseService } from '../leases/lease.service.js';
import { OpenGateModule } from '../executions/open-gate.module.js';
import { StrandedWorkService, type ExistingQueues } from './stranded-work.service.js';
import { startOf } from '../testing/start-of.js';

describe('work whose queue is gone', () => {
  const never = new AbortController().signal;
  const scope = { organizationId: newId() };
  let context: TestContext;
  let executions: ExecutionService;

  beforeAll(async () => {
    context = await createTestContext([OpenGateModule, ExecutionsModule]);
    executions = context.get(ExecutionService);
  });

  afterAll(() => context.close());

  /** As if these queues existed, and no others. */
  const existing = (...queueIds: string[]): ExistingQueues => {
    return (asked) => Promise.resolve(new Set(asked.filter((id) => queueIds.includes(id))));
  };
  const failStranded = (...queueIds: string[]): Promise<void> =>
    context.get(StrandedWorkService).failStranded(existing(...queueIds), never);

  const start = async (queueId: string, jobId?: string): Promise<string> =>
    (await executions.start(scope, { ...startOf(queueId), ...(jobId === undefined ? {} : { jobId }) })).id;

  it('fails and says why; its job counts it, and its readers hear of its end', async () => {
    const [queueId, jobId] = [newId(), newId()];
    const id = await start(queueId, jobId);
    await failStranded();
    await failStranded();
    expect(await executions.read(scope, id)).toMatchObject({
      status: 'failed',
      error_message: `The worker queue ${queueId} does not exist any more`,
      completed_at: expect.any(Date),
    });
    const counts = await context.get(JobRunsService).countsOf(scope, [jobId]);
    expect(counts.get(jobId)).toMatchObject({ total: 1, failed: 1, successful: 0 });
    await eventually(async () => {
      const ref = { ...scope, executionId: id };
      const { frames } = await context.get(EventLog).read(ref, 'first');
      expect(frames.map(({ type }) => type)).toEqual(['status', 'done']);
    }, 30_000);
  });

  it('is told apart from what waits in queues that exist, and from what has begun', async () => {
    const [there, gone] = [newId(), newId()];
    const waiting = await start(there);
    const begun = await start(gone);
    const poll = { workerId: newId(), queueId: gone, max: 1, waitMs: 5000, leaseMs: 60_000, confirmMs: 60_000 };
    expect(await context.get(LeaseService).poll(scope, poll)).toHaveLength(1);
    await failStranded(there);
    expect(await executions.read(scope, waiting)).toMatchObject({ status: 'pending', error_message: null });
    expect(await executions.read(scope, begun)).toMatchObject({ status: 'pending', error_message: null });
  });
});
