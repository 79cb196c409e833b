import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AgentService, AgentsModule } from '@app/agents';
import { TaskQueues } from '@app/dispatch';
import { EnvironmentProvisioner, WorkerQueueService, WorkerService } from '@app/environments';
import { ExecutionService, LeaseService } from '@app/executions';
import { OpenGateModule } from '@app/executions/testing';
import type { Caller } from '@app/kernel';
import { TeamsModule } from '@app/teams';
import { createTestContext, eventually, testCaller, type TestContext } from '@app/testing';
import { ConnectedWorkerService } from './connected-worker.service.js';
import { ManagedQueueService } from '../queues/managed-queue.service.js';
import { RequestedRunService } from '../requested/requested-run.service.js';
import { RequestedRunsModule } from '../requested/requested-runs.module.js';
import type { AssembledRun } from '../run.types.js';
import { OrchestrationModule } from '../orchestration.module.js';

/** A worker of the only queue of a new organization, and an execution that waits in this queue. */
interface Fixture {
  readonly caller: Caller;
  readonly agentId: string;
  readonly queueId: string;
  readonly workerId: string;
  readonly executionId: string;
}

type Stop = (fixture: Fixture) => Promise<unknown>;

const neverAborted = new AbortController().signal;

describe('a poll whose queue, worker or execution is stopped while it is in flight', () => {
  let context: TestContext;

  beforeAll(async () => {
    context = await createTestContext([
      OpenGateModule,
      AgentsModule,
      TeamsModule,
      RequestedRunsModule,
      OrchestrationModule,
    ]);
  });

  afterAll(() => context.close());

  const setStatus = ({ caller, queueId }: Fixture, status: 'active' | 'paused' | 'inactive'): Promise<unknown> =>
    context.get(ManagedQueueService).update(caller, queueId, { status });
  const pause: Stop = (fixture) => setStatus(fixture, 'paused');
  const deactivate: Stop = (fixture) => setStatus(fixture, 'inactive');
  const disconnect: Stop = ({ caller, workerId }) =>
    context.get(ConnectedWorkerService).disconnect(caller, workerId, {});
  const cancel: Stop = ({ caller, executionId }) => context.get(ExecutionService).cancel(caller, executionId, null);

  async function newFixture(): Promise<Fixture> {
    const caller = testCaller();
    await context.get(EnvironmentProvisioner).provisionDefaults(caller);
    const [queue] = (await context.get(WorkerQueueService).list(caller, {}, { skip: 0, limit: 1 })).items;
    const { id: agentId } = await context.get(AgentService).create(caller, { name: 'Greeter' });
    return nextRound({ caller, agentId, queueId: queue?.id ?? '', workerId: '', executionId: '' });
  }

  /** Returns the fixture with a new worker and a new execution in its active queue. */
  async function nextRound(fixture: Fixture): Promise<Fixture> {
    const { caller, agentId, queueId } = fixture;
    await setStatus(fixture, 'active');
    const { worker_id: workerId } = await context.get(WorkerService).start(caller, queueId, {});
    const request = { prompt: 'Go', worker_queue_id: queueId };
    const { execution } = await context.get(RequestedRunService).start(caller, { kind: 'agent', id: agentId }, request);
    await eventually(async () => expect(await context.get(TaskQueues).count(queueId)).toBe(1));
    return { ...fixture, workerId, executionId: execution.id };
  }

  async function poll(
    { caller, workerId }: Fixture,
    beforeDelivery: (runs: readonly AssembledRun[]) => Promise<unknown> = () => Promise.resolve(),
  ): Promise<readonly AssembledRun[]> {
    const present = async (runs: readonly AssembledRun[]): Promise<readonly AssembledRun[]> => {
      await beforeDelivery(runs);
      return runs;
    };
    const request = { max: 1, waitMs: 0, signal: neverAborted, present };
    return (await context.get(ConnectedWorkerService).poll(caller, workerId, request)).presented;
  }

  /** Checks that the execution waits in its queue and can be leased to another worker, as the first attempt. */
  async function expectKept(fixture: Fixture): Promise<void> {
    const { caller, queueId, executionId } = fixture;
    await setStatus(fixture, 'active');
    const { worker_id: workerId } = await context.get(WorkerService).start(caller, queueId, {});
    await eventually(async () => {
      const [run] = await poll({ ...fixture, workerId });
      expect(run?.lease).toMatchObject({ attempt: 1, execution: { id: executionId } });
    });
  }

  it.each([
    ['the queue is paused', pause],
    ['the queue becomes inactive', deactivate],
    ['the worker is disconnected', disconnect],
  ])('returns no run if %s after the lease was acquired', async (_case, stop) => {
    const fixture = await newFixture();
    const tokens: string[] = [];
    const delivered = await poll(fixture, async ([run]) => {
      tokens.push(run?.lease.leaseToken ?? '');
      await stop(fixture);
    });
    expect(delivered).toEqual([]);
    const { caller, executionId } = fixture;
    const [token = ''] = tokens;
    const start = context.get(ExecutionService).patch(caller, executionId, { status: 'running' }, token);
    await expect(start).rejects.toMatchObject({ code: 'lease_lost' });
    await expectKept(fixture);
  });

  it('returns no run if the execution is cancelled after the lease was acquired', async () => {
    const fixture = await newFixture();
    expect(await poll(fixture, () => cancel(fixture))).toEqual([]);
  });

  it.each([
    ['the queue is paused', pause],
    ['the worker is disconnected', disconnect],
  ])('acquires no lease if %s after its status was read, and keeps the work', async (_case, stop) => {
    const fixture = await newFixture();
    const { caller, queueId, workerId, executionId } = fixture;
    const leases = await context.get(LeaseService).poll(caller, {
      ...{ workerId, queueId, max: 10, waitMs: 0, leaseMs: 60_000, confirmMs: 60_000 },
      mayTake: async () => {
        await stop(fixture);
        return true;
      },
    });
    expect(leases).toEqual([]);
    expect(await transitionsOf(executionId)).toEqual([{ lease: null }]);
    expect(await context.get(TaskQueues).count(queueId)).toBe(1);
    await expectKept(fixture);
  });

  it('returns no run if the queue is paused while the statement that acquires the lease waits for a lock', async () => {
    const fixture = await newFixture();
    const blocker = context.database.dataSource.createQueryRunner();
    await blocker.startTransaction();
    await blocker.query('SELECT 1 FROM executions WHERE id = $1 FOR UPDATE', [fixture.executionId]);
    const polling = poll(fixture);
    await eventually(async () => expect(await countLockWaits()).toBe(1));
    await pause(fixture);
    await blocker.commitTransaction();
    await blocker.release();
    expect(await polling).toEqual([]);
    await expectKept(fixture);
  });

  it('returns no run that is confirmed after the pause or the disconnection was answered, in 120 rounds', async () => {
    const late: string[] = [];
    let delivered = 0;
    const rounds = async (stop: Stop): Promise<void> => {
      let fixture = await newFixture();
      for (let round = 0; round < 30; round += 1) {
        let isStopped = false;
        const takeWork = async (): Promise<void> => {
          let wasStopped = false;
          // The leases are confirmed after this. A stop that is committed while that statement runs may be too late.
          const noteStop = async (): Promise<void> => void (wasStopped = isStopped);
          const runs = await poll(fixture, noteStop).catch(rejectUnlessDisconnected);
          delivered += runs.length;
          if (runs.length > 0 && wasStopped) {
            late.push(`${stop === pause ? 'paused' : 'disconnected'} in round ${round}`);
          }
        };
        // The stop begins in another turn of the event loop in each round, so that it meets all phases of the poll.
        const stopLater = async (): Promise<void> => {
          for (let turn = 0; turn < round; turn += 1) await new Promise(setImmediate);
          await stop(fixture);
          isStopped = true;
        };
        await Promise.all([takeWork(), stopLater()]);
        await cancel(fixture);
        await eventually(async () => expect(await context.get(TaskQueues).count(fixture.queueId)).toBe(0));
        fixture = await nextRound(fixture);
      }
    };
    await Promise.all([pause, disconnect, pause, disconnect].map(rounds));
    expect(late).toEqual([]);
    expect(delivered).toBeGreaterThan(0);
  });

  async function transitionsOf(executionId: string): Promise<unknown> {
    const text = 'SELECT lease FROM execution_transitions WHERE execution_id = $1';
    return context.database.sql(text, [executionId]);
  }

  async function countLockWaits(): Promise<number> {
    const [row] = await context.database.dataSource.query<{ waiting: number }[]>(
      `SELECT count(*)::integer AS waiting FROM pg_stat_activity
       WHERE datname = current_database() AND wait_event_type = 'Lock'`,
    );
    return row?.waiting ?? 0;
  }
});

function rejectUnlessDisconnected(error: unknown): readonly AssembledRun[] {
  if ((error as { code?: string }).code !== 'worker_disconnected') throw error;
  return [];
}
