import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId, type Scope } from '@app/kernel';
import { createTestContext, eventually, statementsOf, type TestContext } from '@app/testing';
import { MAX_BATCH, MAX_BATCHES_IN_FLIGHT } from '../executions/batch-limit.js';
import { ExecutionService } from '../executions/execution.service.js';
import { ExecutionsModule } from '../executions.module.js';
import { LeaseRepository } from '../leases/lease.repository.js';
import { startRequest } from '../testing/execution-fixtures.js';
import { OpenGateModule } from '../testing/open-gate.module.js';

function pause(): { readonly promise: Promise<void>; readonly end: () => void } {
  let end = (): void => undefined;
  const promise = new Promise<void>((resolve) => (end = resolve));
  return { promise, end: () => end() };
}

describe('commands of concurrent callers', () => {
  let context: TestContext;
  let executions: ExecutionService;

  beforeAll(async () => {
    context = await createTestContext([OpenGateModule, ExecutionsModule]);
    executions = context.get(ExecutionService);
  });

  afterAll(() => context.close());

  interface Leased extends Scope {
    readonly id: string;
    readonly token: string;
  }

  async function newLeased(organizationId = newId()): Promise<Leased> {
    const [scope, queueId, token] = [{ organizationId }, newId(), newId()];
    const { id } = await executions.start(scope, startRequest(queueId));
    const claimer = { queueId, workerId: newId(), confirmMs: 60_000, leaseMs: 60_000, runnerName: null };
    await context.get(LeaseRepository).claim(scope, { executionId: id, attempt: 1, token }, claimer);
    return { ...scope, id, token };
  }

  async function outcomesOf(calls: readonly Promise<unknown>[]): Promise<string[]> {
    const settled = await Promise.allSettled(calls);
    return settled.map((one) => (one.status === 'fulfilled' ? 'done' : (one.reason as { code: string }).code));
  }

  it('are written together, also those of different organizations', async () => {
    const all = await Promise.all(Array.from({ length: 20 }, () => newLeased()));
    const statements = await statementsOf(() =>
      Promise.all(all.map((run) => executions.patch(run, run.id, { status: 'running' }, run.token))),
    );
    expect(statements.filter((text) => text.includes('UPDATE executions')).length).toBeLessThanOrEqual(2);
    for (const run of all) expect(await executions.read(run, run.id)).toMatchObject({ status: 'running' });
  });

  it('each have their own outcome: done, refused, of another organization, missing or faulty', async () => {
    const [good, stale, foreign, ended, faulty] = await Promise.all(Array.from({ length: 5 }, () => newLeased()));
    if (!good || !stale || !foreign || !ended || !faulty) throw new Error('Five executions were started');
    await executions.patch(ended, ended.id, { status: 'completed' }, ended.token);
    const running = { status: 'running' } as const;
    const outcomes = await outcomesOf([
      executions.patch(good, good.id, running, good.token),
      executions.patch(stale, stale.id, running, 'another token'),
      executions.patch(stale, foreign.id, running, foreign.token),
      executions.patch(ended, ended.id, running, ended.token),
      executions.patch(good, newId(), running, null),
      executions.patch(faulty, faulty.id, { error_message: 'not storable: \u0000' }, faulty.token),
    ]);
    expect(outcomes.slice(0, 5)).toEqual([
      'done',
      'lease_lost',
      'execution_not_found',
      'execution_transition_refused',
      'execution_not_found',
    ]);
    expect(outcomes[5]).not.toBe('done');
    expect(await executions.read(good, good.id)).toMatchObject(running);
    for (const run of [stale, foreign, faulty]) {
      expect(await executions.read(run, run.id)).toMatchObject({ status: 'pending', error_message: null });
    }
  });

  it('are in the next batch although another organization has many that wait', async () => {
    const flooding = newId();
    const [others, mine] = [
      await Promise.all(Array.from({ length: 300 }, () => newLeased(flooding))),
      await newLeased(),
    ];
    let settled = 0;
    const flood = others.map(async (run) => {
      await executions.patch(run, run.id, { status: 'running' }, run.token);
      settled += 1;
    });
    await executions.patch(mine, mine.id, { status: 'running' }, mine.token);
    // The commands of the organization that floods fill the batches in flight, and the rest of that of the other command.
    expect(settled).toBeLessThan((MAX_BATCHES_IN_FLIGHT + 1) * MAX_BATCH);
    await Promise.all(flood);
    expect(settled).toBe(others.length);
  });

  it('on one execution apply in the order of their arrival', async () => {
    const run = await newLeased();
    const write = (update: Parameters<ExecutionService['patch']>[2]): Promise<unknown> =>
      executions.patch(run, run.id, update, run.token);
    const calls = [
      write({ status: 'running' }),
      write({ response: 'first' }),
      write({ usage: { total_tokens: 7 } }),
      write({ response: 'last' }),
      write({ status: 'completed' }),
      write({ status: 'running' }),
      write({ execution_metadata: { late: true } }),
    ];
    const outcomes = await outcomesOf(calls);
    expect(outcomes.toSpliced(5, 1)).toEqual(Array(6).fill('done'));
    expect(outcomes[5]).toBe('execution_transition_refused');
    expect(await executions.read(run, run.id)).toMatchObject({
      status: 'completed',
      response: 'last',
      usage: { total_tokens: 7 },
      execution_metadata: { late: true },
    });
  });

  it('do not wait for an execution that somebody else keeps locked', async () => {
    const [locked, free] = [await newLeased(), await newLeased()];
    const running = { status: 'running' } as const;
    const { promise: isEnough, end } = pause();
    const holding = context.database.transaction(async () => {
      await context.database.sql('SELECT 1 FROM executions WHERE id = $1 FOR UPDATE', [locked.id]);
      await isEnough;
    });
    await eventually(async () => {
      const rows = await context.database.sql('SELECT 1 FROM executions WHERE id = $1 FOR UPDATE SKIP LOCKED', [
        locked.id,
      ]);
      expect(rows).toHaveLength(0);
    });
    const waiting = executions.patch(locked, locked.id, running, locked.token);
    await expect(executions.patch(free, free.id, running, free.token)).resolves.toMatchObject(running);
    expect(await executions.read(locked, locked.id)).toMatchObject({ status: 'pending' });
    end();
    await holding;
    await expect(waiting).resolves.toMatchObject(running);
  });

  it('store times of any year', async () => {
    const run = await newLeased();
    for (const time of ['0000-06-01T00:00:00.000Z', '+010000-01-01T12:00:00.000Z']) {
      const started_at = new Date(time);
      await expect(executions.patch(run, run.id, { started_at }, run.token)).resolves.toMatchObject({ started_at });
    }
  });

  it('are decided on the row as it is, whatever another process has written since this one did', async () => {
    const run = await newLeased();
    const elsewhere = (assignments: string): Promise<unknown> =>
      context.database.sql(`UPDATE executions SET ${assignments} WHERE organization_id = $1`, [run.organizationId]);
    await executions.patch(run, run.id, { status: 'running' }, run.token);
    await elsewhere('last_message_at = now()');
    await executions.patch(run, run.id, { response: 'known' }, run.token);
    await elsewhere(`lease_token = 'of another worker'`);
    await expect(executions.patch(run, run.id, { response: 'lost' }, run.token)).rejects.toThrow('stale');
    await elsewhere(`lease_token = '${run.token}'`);
    await expect(executions.patch(run, run.id, { response: 'new' }, run.token)).resolves.toMatchObject({
      response: 'new',
    });
  });
});
