import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { AgentService, AgentsModule } from '@app/agents';
import { DispatchConfig, loadConfig, ModelGatewayConfig } from '@app/config';
import { TaskQueues } from '@app/dispatch';
import { EnvironmentService, EnvironmentsModule, WorkerQueueService, WorkerService } from '@app/environments';
import {
  ExecutionService,
  ExecutionsModule,
  LeaseService,
  OpenGateModule,
  type LeasedExecution,
} from '@app/executions';
import { DomainError, notFound, type Caller } from '@app/kernel';
import { ModelService, ModelsModule } from '@app/models';
import { TeamService, TeamsModule } from '@app/teams';
import { createTestContext, eventually, ManualClock, testCaller, type TestContext } from '@app/testing';
import { ConnectedWorkerService } from './connected-worker.service.js';
import { RunAssembler } from './run-assembler.js';
import type { AssembledRun, LostRun } from './run.types.js';

/** Something happens just before leases are put together. */
class TroubledAssembler extends RunAssembler {
  trouble: (lease: LeasedExecution) => Promise<void> = () => Promise.resolve();

  override async assemble(
    ...[scope, lease, environmentId]: Parameters<RunAssembler['assemble']>
  ): Promise<AssembledRun | LostRun> {
    await this.trouble(lease);
    return super.assemble(scope, lease, environmentId);
  }
}

interface Place {
  readonly caller: Caller;
  readonly queueId: string;
  readonly workerId: string;
  readonly environmentId: string;
  /** Seconds. */
  readonly heartbeatInterval: number;
}

describe('a connected worker', () => {
  const clock = new ManualClock();
  let context: TestContext;
  let executions: ExecutionService;
  let assembler: TroubledAssembler;
  let workers: ConnectedWorkerService;

  beforeAll(async () => {
    const domains = [AgentsModule, TeamsModule, EnvironmentsModule, ExecutionsModule, ModelsModule];
    context = await createTestContext([OpenGateModule, ...domains], { clock });
    executions = context.get(ExecutionService);
  });

  afterAll(() => context.close());

  async function newPlace(): Promise<Place> {
    assembler = new TroubledAssembler(
      context.get(AgentService),
      context.get(TeamService),
      context.get(EnvironmentService),
      context.get(ModelService),
      loadConfig(ModelGatewayConfig, {}),
    );
    workers = new ConnectedWorkerService(
      context.get(WorkerService),
      context.get(LeaseService),
      executions,
      assembler,
      loadConfig(DispatchConfig, { LEASE_HEARTBEATS: '2', LEASE_CONFIRM_MS: '600000' }),
    );
    const caller = testCaller();
    await context.get(EnvironmentService).provisionDefaults(caller);
    const [place] = (await context.get(WorkerQueueService).list(caller, {}, { skip: 0, limit: 1 })).items;
    if (place === undefined) throw new Error('No queue');
    const { worker_id: workerId } = await context.get(WorkerService).start(caller, place.id, {});
    const { environment_id: environmentId, heartbeat_interval: heartbeatInterval } = place;
    return { caller, queueId: place.id, workerId, environmentId, heartbeatInterval };
  }

  /** So many executions of an agent, all of them ready to be polled. */
  async function startAll(
    { caller, queueId, environmentId }: Place,
    count: number,
    prompt = 'Hello',
  ): Promise<string[]> {
    const { id: entityId } = await context.get(AgentService).create(caller, { name: 'Greeter' });
    const ids: string[] = [];
    for (let index = 0; index < count; index += 1) {
      const execution = await executions.start(caller, {
        place: { workerQueueId: queueId, environmentId },
        executionType: 'agent',
        entityId,
        entityName: 'Greeter',
        prompt,
        user: { userId: 'user-1', userName: 'Ada', userEmail: null, userAvatar: null },
        triggerType: 'manual',
      });
      ids.push(execution.id);
    }
    await eventually(async () => expect(await context.get(TaskQueues).count(queueId)).toBe(count), 30_000);
    return ids;
  }

  const staying = new AbortController().signal;
  const poll = async (place: Place, gone = staying, waitMs = 5000): Promise<readonly AssembledRun[]> =>
    (await workers.poll(place.caller, place.workerId, { max: 10, waitMs, gone })).runs;

  /** Polls until it was given so many, as the first attempt each. */
  async function pollAll(place: Place, count: number): Promise<string[]> {
    const ids: string[] = [];
    while (ids.length < count) {
      const leases = await poll(place);
      if (leases.length === 0) throw new Error(`Only ${ids.length} of ${count} executions came`);
      expect(leases.map(({ lease }) => lease.attempt)).toEqual(leases.map(() => 1));
      ids.push(...leases.map(({ lease }) => lease.execution.id));
    }
    return ids;
  }

  it('has each lease for as many heartbeat intervals as are configured', async () => {
    const place = await newPlace();
    await startAll(place, 1);
    const [run] = await poll(place);
    const length = (run?.lease.expiresAt.getTime() ?? 0) - clock.millis();
    expect(length).toBe(2 * 1000 * place.heartbeatInterval);
  });

  it.each([
    ['free of charge where it stops', { reason: 'shutdown' }, 1],
    ['as the next attempt where it crashed', { exit_code: 137 }, 2],
  ])('leaves its work to another, %s', async (_how, said, attempt) => {
    const place = await newPlace();
    const ids = await startAll(place, 1);
    expect(await poll(place)).toHaveLength(1);
    await workers.disconnect(place.caller, place.workerId, said);
    const { worker_id: workerId } = await context.get(WorkerService).start(place.caller, place.queueId, {});
    const [run] = await poll({ ...place, workerId });
    expect(run?.lease).toMatchObject({ attempt, execution: { id: ids[0] } });
  });

  describe('costs', () => {
    /** Statements that are not prepared show as their text. */
    async function statementsOf(work: () => Promise<unknown>): Promise<string[]> {
      const spies = [jest.spyOn(context.database, 'prepared'), jest.spyOn(context.database, 'sql')];
      try {
        await work();
        const names = spies.flatMap((spy) => spy.mock.calls.map(([name]) => name));
        // The relay of the executions that were started goes on beside it.
        return names.filter((name) => !name.startsWith('outbox.'));
      } finally {
        for (const spy of spies) spy.mockRestore();
      }
    }

    it('two statements where a poll finds nothing: who it is before, its commands after', async () => {
      const place = await newPlace();
      const statements = await statementsOf(() => poll(place, staying, 0));
      expect(statements).toEqual(['workers.polling', 'lease.commands']);
    });

    it('two statements with each heartbeat, that of its leases only when it is known to be there', async () => {
      const { caller, workerId } = await newPlace();
      const heartbeat = (): Promise<unknown> => workers.heartbeat(caller, workerId, {}).catch(() => undefined);
      expect(await statementsOf(heartbeat)).toEqual(['workers.heartbeat', 'lease.renew_all']);
      await workers.disconnect(caller, workerId, {});
      expect(await statementsOf(heartbeat)).toEqual(['workers.heartbeat', 'workers.polling']);
    });

    it('no count of workers where a run is given what its environment says', async () => {
      const place = await newPlace();
      await startAll(place, 1);
      const statements = await statementsOf(() => poll(place));
      expect(statements.sort()).toEqual([
        'environments.execution_environment',
        'lease.claim',
        'lease.commands',
        'workers.polling',
      ]);
    });
  });

  it('is given work again as soon as its queue is, though its poll began before', async () => {
    const place = await newPlace();
    const [id] = await startAll(place, 1);
    const queues = context.get(WorkerQueueService);
    await queues.update(place.caller, place.queueId, { status: 'paused' });
    const looks = jest.spyOn(context.get(WorkerService), 'mayTakeWork');
    const waiting = poll(place, staying, 30_000);
    await eventually(() => expect(looks).toHaveBeenCalled(), 30_000);
    looks.mockRestore();
    await queues.update(place.caller, place.queueId, { status: 'active' });
    expect((await waiting).map(({ lease }) => lease.execution.id)).toEqual([id]);
  });

  it('is given as many runs as it asks for, where they are small', async () => {
    const place = await newPlace();
    const ids = await startAll(place, 33);
    const { runs } = await workers.poll(place.caller, place.workerId, { max: 31, waitMs: 5000, gone: staying });
    expect(runs).toHaveLength(31);
    const again = await pollAll(place, 2);
    expect([...runs.map(({ lease }) => lease.execution.id), ...again].sort()).toEqual(ids);
  });

  it('is given large runs ten at a time, and the others with its next poll', async () => {
    const place = await newPlace();
    const ids = await startAll(place, 12, 'x'.repeat(500_000));
    const { runs } = await workers.poll(place.caller, place.workerId, { max: 100, waitMs: 5000, gone: staying });
    expect(runs).toHaveLength(10);
    const again = await pollAll(place, 2);
    expect([...runs.map(({ lease }) => lease.execution.id), ...again].sort()).toEqual(ids);
  });

  it('is not given what can not begin: that fails, and says what has gone', async () => {
    const place = await newPlace();
    const [id = ''] = await startAll(place, 1);
    const { entity_id: agentId } = await executions.read(place.caller, id);
    await context.get(AgentService).delete(place.caller, agentId ?? '');
    expect(await poll(place)).toEqual([]);
    const failed = { status: 'failed', error_message: `The agent ${agentId} does not exist any more` };
    expect(await executions.read(place.caller, id)).toMatchObject(failed);
  });

  it('is handed what could be put together, and gives the rest back without a cost', async () => {
    const place = await newPlace();
    const ids = await startAll(place, 3);
    let left = 1;
    assembler.trouble = async () => {
      if ((left -= 1) === 0) throw new Error('the store was away for a moment');
    };
    const taken = await poll(place);
    expect(taken).toHaveLength(2);
    const again = await pollAll(place, 1);
    expect([...taken.map(({ lease }) => lease.execution.id), ...again].sort()).toEqual(ids);
  });

  it('hears of a failure when nothing could be put together, and everything is there for the next one', async () => {
    const place = await newPlace();
    const ids = await startAll(place, 1);
    assembler.trouble = () => Promise.reject(new Error('the store is away'));
    await expect(poll(place)).rejects.toThrow('the store is away');
    assembler.trouble = () => Promise.resolve();
    expect(await pollAll(place, 1)).toEqual(ids);
  });

  it('gives everything back when it goes while leases are put together', async () => {
    const place = await newPlace();
    const ids = await startAll(place, 1);
    const gone = new AbortController();
    assembler.trouble = async () => gone.abort();
    expect(await poll(place, gone.signal)).toEqual([]);
    expect(await pollAll(place, 1)).toEqual(ids);
  });

  it('is not given an execution that was cancelled while its agent turned out to be gone', async () => {
    const place = await newPlace();
    const [id = ''] = await startAll(place, 1);
    assembler.trouble = async ({ execution }) => {
      await context.get(AgentService).delete(place.caller, execution.entity_id ?? '');
      await executions.cancel(place.caller, id, null);
    };
    expect(await poll(place)).toEqual([]);
    expect(await executions.read(place.caller, id)).toMatchObject({ status: 'cancelled', error_message: null });
  });

  it('never hears what it takes to be about itself when it is about a run', async () => {
    const place = await newPlace();
    await startAll(place, 1);
    assembler.trouble = () => Promise.reject(notFound('Team'));
    const failure = await poll(place).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(Error);
    expect(failure).not.toBeInstanceOf(DomainError);
  });
});
