import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { AgentService, AgentsModule } from '@app/agents';
import { InheritanceModule, InheritanceService } from '@app/entity-contexts';
import { DispatchConfig, loadConfig } from '@app/config';
import { TaskQueues } from '@app/dispatch';
import { EnvironmentProvisioner, EnvironmentsModule, WorkerQueueService, WorkerService } from '@app/environments';
import {
  ExecutionService,
  ExecutionsModule,
  LeaseService,
  RunnablesModule,
  RunnableSources,
  WorkStops,
  type LeasedExecution,
} from '@app/executions';
import { OpenGateModule } from '@app/executions/testing';
import { notFound, type Caller } from '@app/kernel';
import { ModelService, ModelsModule } from '@app/models';
import { ProjectLookupModule } from '@app/projects';
import { TeamsModule } from '@app/teams';
import { createTestContext, eventually, ManualClock, statementsOf, testCaller, type TestContext } from '@app/testing';
import { ConnectedWorkerService } from './connected-worker.service.js';
import { RequestedRunsModule } from '../requested/requested-runs.module.js';
import { RunAssembler } from '../leases/run-assembler.js';
import { preparationOf } from '../testing/preparation-of.js';
import { RunEnvironmentsService } from '../variables/run-environments.service.js';
import { RunModelsService } from '../leases/run-models.service.js';
import type { AssembledRun, ConnectedHeartbeatRequest } from '../run.types.js';

/** Calls a hook before each lease is assembled. */
class HookedAssembler extends RunAssembler {
  beforeAssembly: (lease: LeasedExecution) => Promise<void> = () => Promise.resolve();

  override async assemble(
    ...[scope, lease, ...rest]: Parameters<RunAssembler['assemble']>
  ): ReturnType<RunAssembler['assemble']> {
    await this.beforeAssembly(lease);
    return super.assemble(scope, lease, ...rest);
  }
}

/** A worker connected to the only queue of a new organization. */
interface Fixture {
  readonly caller: Caller;
  readonly queueId: string;
  readonly workerId: string;
  readonly environmentId: string;
  /** Seconds. */
  readonly heartbeatInterval: number;
}

describe('ConnectedWorkerService', () => {
  const clock = new ManualClock();
  let context: TestContext;
  let executions: ExecutionService;
  let assembler: HookedAssembler;
  let workers: ConnectedWorkerService;

  beforeAll(async () => {
    const kinds = [AgentsModule, TeamsModule, ProjectLookupModule];
    const domains = [EnvironmentsModule, ExecutionsModule, InheritanceModule, ModelsModule, RunnablesModule];
    context = await createTestContext([OpenGateModule, RequestedRunsModule, ...kinds, ...domains], { clock });
    executions = context.get(ExecutionService);
  });

  afterAll(() => context.close());

  async function newFixture(): Promise<Fixture> {
    assembler = new HookedAssembler(
      context.get(RunnableSources),
      context.get(RunEnvironmentsService),
      new RunModelsService(context.get(ModelService)),
      context.get(InheritanceService),
    );
    workers = new ConnectedWorkerService(
      context.get(WorkerService),
      context.get(LeaseService),
      context.get(WorkStops),
      preparationOf(context, assembler),
      loadConfig(DispatchConfig, { LEASE_HEARTBEATS: '2', LEASE_CONFIRM_MS: '600000' }),
    );
    const caller = testCaller();
    await context.get(EnvironmentProvisioner).provisionDefaults(caller);
    const [queue] = (await context.get(WorkerQueueService).list(caller, {}, { skip: 0, limit: 1 })).items;
    if (queue === undefined) throw new Error('No queue');
    const { worker_id: workerId } = await context.get(WorkerService).start(caller, queue.id, {});
    const { environment_id: environmentId, heartbeat_interval: heartbeatInterval } = queue;
    return { caller, queueId: queue.id, workerId, environmentId, heartbeatInterval };
  }

  /** Starts `count` executions of an agent and waits until all can be polled. */
  async function startAll(
    { caller, queueId, environmentId }: Fixture,
    count: number,
    prompt = 'Hello',
    queued = count,
  ): Promise<string[]> {
    const { id: entityId } = await context.get(AgentService).create(caller, { name: 'Greeter' });
    const ids: string[] = [];
    for (let index = 0; index < count; index += 1) {
      const execution = await executions.start(caller, {
        assignment: { workerQueueId: queueId, environmentId },
        executionType: 'agent',
        entityId,
        entityName: 'Greeter',
        prompt,
        user: { userId: 'user-1', userName: 'Ada', userEmail: null, userAvatar: null },
        triggerType: 'manual',
        jobId: 'job_1',
      });
      ids.push(execution.id);
    }
    await eventually(async () => expect(await context.get(TaskQueues).count(queueId)).toBe(queued));
    return ids;
  }

  const neverAborted = new AbortController().signal;
  const identity = async (runs: readonly AssembledRun[]): Promise<readonly AssembledRun[]> => runs;

  const poll = async (
    fixture: Fixture,
    signal = neverAborted,
    waitMs = 5000,
    present = identity,
  ): Promise<readonly AssembledRun[]> =>
    (await workers.poll(fixture.caller, fixture.workerId, { max: 10, waitMs, signal, present })).presented;

  /** Polls until it has `count` leases, and checks that each is the first attempt. */
  async function pollAll(fixture: Fixture, count: number): Promise<string[]> {
    const ids: string[] = [];
    while (ids.length < count) {
      const leases = await poll(fixture);
      if (leases.length === 0) throw new Error(`Only ${ids.length} of ${count} executions leased`);
      expect(leases.map(({ lease }) => lease.attempt)).toEqual(leases.map(() => 1));
      ids.push(...leases.map(({ lease }) => lease.execution.id));
    }
    return ids;
  }

  it('leases for the configured number of heartbeat intervals', async () => {
    const fixture = await newFixture();
    await startAll(fixture, 1);
    const [run] = await poll(fixture);
    const [length] = await context.database.sql<{ lease_ms: number; left: number }>(
      `SELECT lease_ms, (extract(epoch FROM $2::timestamptz - now()) * 1000)::float AS left
       FROM executions WHERE id = $1`,
      [run?.lease.execution.id, run?.lease.expiresAt],
    );
    const expected = 2 * 1000 * fixture.heartbeatInterval;
    expect(length?.lease_ms).toBe(expected);
    expect(length?.left).toBeLessThanOrEqual(expected);
    expect(length?.left).toBeGreaterThan(expected / 2);
  });

  it.each([
    ['the name that the worker sent', { hostname: 'host-1', worker_metadata: { runner_name: 'gpu-7' } }, 'gpu-7'],
    ['else its hostname', { hostname: 'host-1', worker_metadata: { runner_name: 7 } }, 'host-1'],
    ['null without either', { worker_metadata: { runner_name: '' } }, null],
  ])('sets the runner name of leased executions: %s', async (_case, start, runner_name) => {
    const fixture = await newFixture();
    const { worker_id: workerId } = await context.get(WorkerService).start(fixture.caller, fixture.queueId, start);
    const [id = ''] = await startAll(fixture, 1);
    expect((await poll({ ...fixture, workerId }))[0]?.lease.execution).toMatchObject({ id, runner_name });
    expect(await executions.read(fixture.caller, id)).toMatchObject({ runner_name });
  });

  it('renews only the leases that a heartbeat names, or all if it names none', async () => {
    const fixture = await newFixture();
    const { caller, workerId } = fixture;
    await startAll(fixture, 2);
    const runs = await poll(fixture);
    const [first = '', second = ''] = runs.map(({ lease }) => lease.execution.id);
    for (const { lease } of runs) {
      await executions.patch(caller, lease.execution.id, { status: 'running' }, lease.leaseToken);
    }
    const renewed = async (request: ConnectedHeartbeatRequest): Promise<string[]> => {
      await context.database.sql('UPDATE executions SET lease_ms = 1 WHERE organization_id = $1', [
        caller.organizationId,
      ]);
      await workers.heartbeat(caller, workerId, request);
      const text = 'SELECT id FROM executions WHERE organization_id = $1 AND lease_ms > 1 ORDER BY id';
      const rows = await context.database.sql<{ id: string }>(text, [caller.organizationId]);
      return rows.map(({ id }) => id);
    };
    expect(await renewed({ execution_ids: [second] })).toEqual([second]);
    expect(await renewed({ execution_ids: [] })).toEqual([]);
    expect(await renewed({})).toEqual([first, second].sort());
  });

  it.each([
    ['as the same attempt if it shuts down', { reason: 'shutdown' }, 1],
    ['as the next attempt if it crashed', { exit_code: 137 }, 2],
  ])('makes the work of a disconnected worker available, %s', async (_case, request, attempt) => {
    const fixture = await newFixture();
    const ids = await startAll(fixture, 1);
    expect(await poll(fixture)).toHaveLength(1);
    await workers.disconnect(fixture.caller, fixture.workerId, request);
    const { worker_id: workerId } = await context.get(WorkerService).start(fixture.caller, fixture.queueId, {});
    const [run] = await poll({ ...fixture, workerId });
    expect(run?.lease).toMatchObject({ attempt, execution: { id: ids[0] } });
  });

  describe('the number of statements', () => {
    // Excludes the look-up of columns, which the first read of a bounded set makes.
    beforeAll(async () => {
      const fixture = await newFixture();
      await startAll(fixture, 1);
      await poll(fixture);
    });

    /** Returns the names of the statements of `work`, without those of the relay, which runs concurrently. */
    async function namesOf(work: () => Promise<unknown>): Promise<string[]> {
      return (await statementsOf(work)).filter((name) => !name.startsWith('outbox.'));
    }

    it('is two for a poll without work: one for the worker before the wait, one for its commands afterwards', async () => {
      const fixture = await newFixture();
      expect(await namesOf(() => poll(fixture, neverAborted, 0))).toEqual(['workers.polling', 'lease.commands']);
    });

    it('is two for a heartbeat; leases are renewed only if the worker is connected', async () => {
      const { caller, workerId } = await newFixture();
      const heartbeat = (): Promise<unknown> => workers.heartbeat(caller, workerId, {}).catch(() => undefined);
      expect(await namesOf(heartbeat)).toEqual(['workers.heartbeat', 'lease.renew_all']);
      await workers.disconnect(caller, workerId, {});
      expect(await namesOf(heartbeat)).toEqual(['workers.heartbeat', 'workers.polling']);
    });

    it('is nine for a poll that leases one run; none of them counts the workers of its environment', async () => {
      const fixture = await newFixture();
      await startAll(fixture, 1);
      const statements = await namesOf(() => poll(fixture));
      expect(statements.sort()).toEqual([
        'agents.find',
        'contexts.any',
        'environments.execution_environment',
        'lease.claim',
        'lease.confirm',
        'models.preferred',
        'projects.find_layers',
        'skills.any',
        'workers.polling',
      ]);
    });

    it('is the same for several runs of an agent as for one', async () => {
      const fixture = await newFixture();
      const ids = await startAll(fixture, 8);
      const leased: string[] = [];
      const statements = await namesOf(async () => {
        leased.push(...(await poll(fixture)).map(({ lease }) => lease.execution.id));
      });
      expect(leased).toEqual(ids);
      expect(statements.sort()).toEqual([
        'agents.find',
        'contexts.any',
        'environments.execution_environment',
        'lease.claim_all',
        'lease.confirm',
        'models.preferred',
        'projects.find_layers',
        'skills.any',
        'workers.polling',
      ]);
    });
  });

  it('leases to a waiting poll as soon as a paused queue is active again', async () => {
    const fixture = await newFixture();
    const [id] = await startAll(fixture, 1);
    const queues = context.get(WorkerQueueService);
    await queues.update(fixture.caller, fixture.queueId, { status: 'paused' });
    const queueChecks = jest.spyOn(context.get(WorkerService), 'mayTakeWork');
    const waiting = poll(fixture, neverAborted, 30_000);
    await eventually(() => expect(queueChecks).toHaveBeenCalled());
    queueChecks.mockRestore();
    await queues.update(fixture.caller, fixture.queueId, { status: 'active' });
    expect((await waiting).map(({ lease }) => lease.execution.id)).toEqual([id]);
  });

  it('leases the requested number of small runs', async () => {
    const fixture = await newFixture();
    const ids = await startAll(fixture, 33);
    const poll = { max: 31, waitMs: 5000, signal: neverAborted, present: identity };
    const { presented: runs } = await workers.poll(fixture.caller, fixture.workerId, poll);
    expect(runs).toHaveLength(31);
    const again = await pollAll(fixture, 2);
    expect([...runs.map(({ lease }) => lease.execution.id), ...again].sort()).toEqual(ids);
  });

  it('leases large runs in batches of ten, and the remaining runs in the next poll', async () => {
    const fixture = await newFixture();
    const ids = await startAll(fixture, 12, 'x'.repeat(500_000));
    const poll = { max: 100, waitMs: 5000, signal: neverAborted, present: identity };
    const { presented: runs } = await workers.poll(fixture.caller, fixture.workerId, poll);
    expect(runs).toHaveLength(10);
    const again = await pollAll(fixture, 2);
    expect([...runs.map(({ lease }) => lease.execution.id), ...again].sort()).toEqual(ids);
  });

  it('marks an execution as failed if its agent was deleted, with an error message that names the agent', async () => {
    const fixture = await newFixture();
    const [id = ''] = await startAll(fixture, 1);
    const { entity_id: agentId } = await executions.read(fixture.caller, id);
    await context.get(AgentService).delete(fixture.caller, agentId ?? '');
    expect(await poll(fixture)).toEqual([]);
    const failed = { status: 'failed', error_message: `The agent ${agentId} no longer exists` };
    expect(await executions.read(fixture.caller, id)).toMatchObject(failed);
  });

  const outage = Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:5432'), { code: 'ECONNREFUSED' });

  it('delivers the assembled runs and releases the other leases during an outage, without counting an attempt', async () => {
    const fixture = await newFixture();
    const ids = await startAll(fixture, 3);
    let left = 1;
    assembler.beforeAssembly = async () => {
      if ((left -= 1) === 0) throw outage;
    };
    const delivered = await poll(fixture);
    expect(delivered).toHaveLength(2);
    const again = await pollAll(fixture, 1);
    expect([...delivered.map(({ lease }) => lease.execution.id), ...again].sort()).toEqual(ids);
  });

  it('rejects a poll if no run could be assembled during an outage, and releases its leases', async () => {
    const fixture = await newFixture();
    const ids = await startAll(fixture, 1);
    assembler.beforeAssembly = () => Promise.reject(outage);
    await expect(poll(fixture)).rejects.toThrow('connect ECONNREFUSED');
    assembler.beforeAssembly = () => Promise.resolve();
    expect(await pollAll(fixture, 1)).toEqual(ids);
  });

  it('releases all leases if the client disconnects while they are assembled', async () => {
    const fixture = await newFixture();
    const ids = await startAll(fixture, 1);
    const client = new AbortController();
    assembler.beforeAssembly = async () => client.abort();
    expect(await poll(fixture, client.signal)).toEqual([]);
    expect(await pollAll(fixture, 1)).toEqual(ids);
  });

  /** Polls until the execution has ended, and returns the ids of the other runs with their attempts. */
  async function pollUntilFailed(fixture: Fixture, id: string, present = identity): Promise<readonly unknown[]> {
    const delivered: unknown[] = [];
    await eventually(async () => {
      const runs = await poll(fixture, neverAborted, 0, present);
      delivered.push(...runs.map(({ lease }) => [lease.execution.id, lease.attempt]));
      const error_message = 'The control plane could not assemble the run, see its log (attempt 3 of 3)';
      expect(await executions.read(fixture.caller, id)).toMatchObject({ status: 'failed', error_message });
    });
    return delivered;
  }

  it('marks a run as failed if the row of its agent cannot be read in any attempt, and delivers the others', async () => {
    const fixture = await newFixture();
    const [broken = ''] = await startAll(fixture, 1);
    const { entity_id: agentId } = await executions.read(fixture.caller, broken);
    await context.database.sql("UPDATE agents SET execution_environment = 'null' WHERE id = $1", [agentId]);
    const others = await startAll(fixture, 2, 'Hello', 3);
    expect(await pollUntilFailed(fixture, broken)).toEqual(others.map((id) => [id, 1]));
    const text = 'SELECT sum(failed)::int AS failed FROM execution_counts WHERE organization_id = $1';
    expect(await context.database.sql(text, [fixture.caller.organizationId])).toEqual([{ failed: 1 }]);
  });

  it('marks a run as failed if it cannot be presented in any attempt, and delivers the others', async () => {
    const fixture = await newFixture();
    const [broken = '', ...others] = await startAll(fixture, 3);
    const present = async (runs: readonly AssembledRun[]): Promise<readonly AssembledRun[]> => {
      if (runs.some(({ lease }) => lease.execution.id === broken))
        throw notFound('environment_not_found', 'Environment');
      return runs;
    };
    expect(await pollUntilFailed(fixture, broken, present)).toEqual(others.map((id) => [id, 1]));
  });

  it('releases all leases if the client disconnects while they are presented', async () => {
    const fixture = await newFixture();
    const ids = await startAll(fixture, 1);
    const client = new AbortController();
    const disconnecting = async (runs: readonly AssembledRun[]): Promise<readonly AssembledRun[]> => {
      client.abort();
      return runs;
    };
    expect(await poll(fixture, client.signal, 5000, disconnecting)).toEqual([]);
    expect(await pollAll(fixture, 1)).toEqual(ids);
  });

  it('does not change the status of an execution that was cancelled while its deleted agent was looked up', async () => {
    const fixture = await newFixture();
    const [id = ''] = await startAll(fixture, 1);
    assembler.beforeAssembly = async ({ execution }) => {
      await context.get(AgentService).delete(fixture.caller, execution.entity_id ?? '');
      await executions.cancel(fixture.caller, id, null);
    };
    expect(await poll(fixture)).toEqual([]);
    expect(await executions.read(fixture.caller, id)).toMatchObject({ status: 'cancelled', error_message: null });
  });
});
