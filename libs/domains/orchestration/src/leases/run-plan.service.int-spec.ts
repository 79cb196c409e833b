import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { AgentService, AgentsModule } from '@app/agents';
import { EnvironmentProvisioner, WorkerQueueService, WorkerService } from '@app/environments';
import { ExecutionService, LeaseService } from '@app/executions';
import { OpenGateModule } from '@app/executions/testing';
import { DomainError, newJobId, type Caller } from '@app/kernel';
import { TeamsModule } from '@app/teams';
import { createTestContext, eventually, testCaller, type TestContext } from '@app/testing';
import { Client } from 'pg';
import { RunPlanService } from './run-plan.service.js';
import { OrchestrationModule } from '../orchestration.module.js';

interface Held {
  readonly caller: Caller;
  readonly id: string;
  readonly token: string;
  readonly workerId: string;
  readonly agentId: string;
}

interface Row {
  readonly status: string;
  readonly entity_id: string | null;
  readonly plan: { readonly entity_id: string } | null;
  readonly messages: number;
}

const NOTHING = { entity_id: null, plan: null, messages: 0 };

/** Statements that make a write of the plan fail, as if the process died there. */
const FAILURES = {
  'the plan': 'CREATE TRIGGER fail BEFORE UPDATE ON executions FOR EACH ROW EXECUTE FUNCTION fail()',
  'its message': 'CREATE TRIGGER fail BEFORE INSERT ON outbox FOR EACH ROW EXECUTE FUNCTION fail()',
  'the commit': `CREATE CONSTRAINT TRIGGER fail AFTER INSERT ON outbox DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION fail()`,
};

describe('RunPlanService', () => {
  let context: TestContext;
  let plans: RunPlanService;
  /** A separate connection, which reads while the transactions of the service wait for locks. */
  let observer: Client;

  beforeAll(async () => {
    context = await createTestContext([OpenGateModule, AgentsModule, TeamsModule, OrchestrationModule]);
    plans = context.get(RunPlanService);
    observer = new Client({ connectionString: context.databaseUrl });
    await observer.connect();
    // Messages leave the outbox as soon as they are passed on, so a trigger keeps copies.
    await observer.query(`
      CREATE TABLE sent AS SELECT topic, payload FROM outbox WHERE false;
      CREATE FUNCTION keep_sent() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN INSERT INTO sent VALUES (NEW.topic, NEW.payload); RETURN NULL; END $$;
      CREATE TRIGGER keep_sent AFTER INSERT ON outbox FOR EACH ROW EXECUTE FUNCTION keep_sent();
      CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN RAISE EXCEPTION 'The server was terminated'; END $$`);
  });

  afterEach(async () => {
    await observer.query('DROP TRIGGER IF EXISTS fail ON executions; DROP TRIGGER IF EXISTS fail ON outbox');
  });

  afterAll(async () => {
    await observer.end();
    await context.close();
  });

  async function rowsOf<R extends object>(text: string, values: readonly unknown[] = []): Promise<R[]> {
    return (await observer.query<R>(text, [...values])).rows;
  }

  /** An execution without an entity that a worker holds, and an agent that it may choose. */
  async function newHeld(jobId: string | null = null): Promise<Held> {
    const caller = testCaller();
    await context.get(EnvironmentProvisioner).provisionDefaults(caller);
    const [queue] = (await context.get(WorkerQueueService).list(caller, {}, { skip: 0, limit: 1 })).items;
    if (queue === undefined) throw new Error('No queue');
    const { id: agentId } = await context.get(AgentService).create(caller, { name: 'chosen' });
    const { worker_id: workerId } = await context.get(WorkerService).start(caller, queue.id, {});
    await context.get(ExecutionService).start(caller, {
      assignment: { workerQueueId: queue.id, environmentId: queue.environment_id },
      ...{ executionType: 'agent', entityId: null, entityName: null, prompt: 'Go', triggerType: 'manual' },
      jobId,
      user: { userId: 'user-1', userName: 'Ada', userEmail: null, userAvatar: null },
    });
    const request = { workerId, queueId: queue.id, max: 1, waitMs: 30_000, leaseMs: 60_000, confirmMs: 60_000 };
    const [lease] = await context.get(LeaseService).poll(caller, request);
    if (lease === undefined) throw new Error('No lease');
    return { caller, id: lease.execution.id, token: lease.leaseToken, workerId, agentId };
  }

  const plan = async ({ caller, id, token, agentId }: Held): Promise<string> =>
    plans.plan(caller, {
      ...{ executionId: id, leaseToken: token },
      request: { entity_type: 'agent', entity_id: agentId, prompt: null, reason: 'fits' },
      present: async (runs) => runs.map(({ lease }) => lease.execution.id),
    });

  /** The id of the run, or the code of the error. */
  const outcomeOf = (work: Promise<string>): Promise<string> =>
    work.catch((error: unknown) => (error instanceof DomainError ? error.code : (error as Error).message));

  async function rowOf({ id }: Held): Promise<Row> {
    const [row] = await rowsOf<Row>(
      `SELECT status, entity_id, plan, (SELECT count(*)::integer FROM sent
         WHERE topic = 'execution.planned' AND payload->>'executionId' = e.id) AS messages
       FROM executions e WHERE id = $1`,
      [id],
    );
    if (row === undefined) throw new Error('No execution');
    return row;
  }

  const planned = ({ agentId }: Held): object => ({
    entity_id: agentId,
    plan: expect.objectContaining({ entity_id: agentId }),
    messages: 1,
  });

  /** Waits until this many transactions wait for a lock. */
  const waitForBlocked = (count: number): Promise<void> =>
    eventually(async () => {
      // Within a transaction, PostgreSQL caches the list of connections, without those that are opened later.
      await observer.query('SELECT pg_stat_clear_snapshot()');
      const [row] = await rowsOf<{ waiting: number }>(
        `SELECT count(*)::integer AS waiting FROM pg_stat_activity
         WHERE datname = current_database() AND wait_event_type = 'Lock'`,
      );
      expect(row?.waiting).toBe(count);
    });

  /** Lets both wait for the row of the execution, in this order, and then continue. Returns the outcome of each. */
  async function inOrder({ id }: Held, works: readonly (() => Promise<string>)[]): Promise<string[]> {
    await observer.query('BEGIN');
    await observer.query('SELECT 1 FROM executions WHERE id = $1 FOR UPDATE', [id]);
    const outcomes: Promise<string>[] = [];
    try {
      for (const work of works) {
        outcomes.push(outcomeOf(work()));
        await waitForBlocked(outcomes.length);
      }
    } finally {
      await observer.query('COMMIT');
    }
    return Promise.all(outcomes);
  }

  const cancel = async ({ caller, id }: Held): Promise<string> =>
    (await context.get(ExecutionService).cancel(caller, id, null)).status;

  const release = async ({ caller, workerId }: Held): Promise<string> => {
    await context.get(LeaseService).releaseAll(caller, workerId, 'shutdown');
    return 'released';
  };

  it('stores nothing if the execution is cancelled before the plan', async () => {
    const held = await newHeld();
    const outcomes = await inOrder(held, [() => cancel(held), () => plan(held)]);
    expect(outcomes).toEqual(['cancelled', expect.not.stringContaining(held.id)]);
    expect(await rowOf(held)).toMatchObject({ status: 'cancelled', ...NOTHING });
  });

  it('keeps the plan of an execution that is cancelled right after it', async () => {
    const held = await newHeld();
    const [, cancelled] = await inOrder(held, [() => plan(held), () => cancel(held)]);
    expect(cancelled).toBe('cancelled');
    expect(await rowOf(held)).toMatchObject({ status: 'cancelled', ...planned(held) });
  });

  it('stores nothing if the lease is released before the plan', async () => {
    const held = await newHeld();
    const outcomes = await inOrder(held, [() => release(held), () => plan(held)]);
    expect(outcomes).toEqual(['released', 'lease_lost']);
    expect(await rowOf(held)).toMatchObject({ status: 'pending', ...NOTHING });
  });

  it('keeps the plan if the lease is released right after it, and refuses further plans of this lease', async () => {
    const held = await newHeld();
    await inOrder(held, [() => plan(held), () => release(held)]);
    expect(await rowOf(held)).toMatchObject({ status: 'pending', ...planned(held) });
    expect(await outcomeOf(plan(held))).toBe('lease_lost');
    expect(await rowOf(held)).toMatchObject(planned(held));
  });

  it.each(Object.entries(FAILURES))(
    'stores neither a plan nor its message if %s fails, and both when the worker sends the plan again',
    async (_where, failure) => {
      const held = await newHeld();
      await observer.query(failure);
      expect(await outcomeOf(plan(held))).not.toBe(held.id);
      expect(await rowOf(held)).toMatchObject(NOTHING);
      await observer.query('DROP TRIGGER IF EXISTS fail ON executions; DROP TRIGGER IF EXISTS fail ON outbox');
      expect(await outcomeOf(plan(held))).toBe(held.id);
      expect(await rowOf(held)).toMatchObject(planned(held));
    },
  );

  it('stores a plan once, even if the worker sends it repeatedly', async () => {
    const held = await newHeld();
    expect(await Promise.all([plan(held), plan(held), plan(held)])).toEqual([held.id, held.id, held.id]);
    expect(await rowOf(held)).toMatchObject(planned(held));
  });

  it('names in the facts of a run of a job who changed the chosen agent', async () => {
    for (const jobId of [newJobId(), null]) {
      const held = await newHeld(jobId);
      const { caller, id, agentId } = held;
      await plan(held);
      const { execution_metadata } = await context.get(ExecutionService).read(caller, id);
      const change = { entity_changed_by: caller.userId, entity_changed_id: agentId };
      expect(execution_metadata).toMatchObject({ plan: { entity_id: agentId }, ...(jobId === null ? {} : change) });
      expect('entity_changed_by' in execution_metadata).toBe(jobId !== null);
    }
  });
});
