import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId, type Scope } from '@app/kernel';
import { createTestContext, eventually, statementsOf, type TestContext } from '@app/testing';
import fc from 'fast-check';
import { ExecutionService } from '../executions/execution.service.js';
import type { StartedExecution, StartExecution } from '../executions/execution.types.js';
import { ExecutionsModule } from '../executions.module.js';
import { LeaseService } from '../leases/lease.service.js';
import type { LeasedExecution } from '../leases/lease.types.js';
import { ConversationService } from '../conversations/conversation.service.js';
import { SessionService } from '../conversations/session.service.js';
import { startRequest } from '../testing/execution-fixtures.js';
import { OpenGateModule } from '../testing/open-gate.module.js';
import { TimelineService } from '../timeline/timeline.service.js';
import type { Multitask } from './turn.types.js';
import { SessionTurns } from './session-turns.js';

const LEASE_MS = 60_000;
const user = { userId: 'user-1', userName: 'Ada', userEmail: null, userAvatar: null };

interface Queue extends Scope {
  readonly queueId: string;
}

describe('the turns of a session', () => {
  let context: TestContext;
  let executions: ExecutionService;
  let turns: SessionTurns;

  beforeAll(async () => {
    context = await createTestContext([OpenGateModule, ExecutionsModule]);
    executions = context.get(ExecutionService);
    turns = context.get(SessionTurns);
  });

  afterAll(() => context.close());

  const newQueue = (): Queue => ({ organizationId: newId(), queueId: newId() });

  async function start(
    queue: Queue,
    multitask?: Multitask,
    request: Partial<StartExecution> = {},
  ): Promise<StartedExecution> {
    const config = { session_id: 's', ...(multitask !== undefined && { multitask }) };
    return executions.start(queue, { ...startRequest(queue.queueId), user, config, ...request });
  }

  async function poll(queue: Queue, waitMs = 5000): Promise<LeasedExecution[]> {
    const request = { workerId: newId(), queueId: queue.queueId, max: 10, waitMs };
    return context.get(LeaseService).poll(queue, { ...request, leaseMs: LEASE_MS, confirmMs: LEASE_MS });
  }

  async function leaseOnly(queue: Queue, id: string): Promise<LeasedExecution> {
    const leased = await poll(queue);
    expect(leased.map(({ execution }) => execution.id)).toEqual([id]);
    return leased[0] as LeasedExecution;
  }

  const run = (queue: Queue, { execution, leaseToken }: LeasedExecution): Promise<unknown> =>
    executions.patch(queue, execution.id, { status: 'running' }, leaseToken);

  it.each<[string, (queue: Queue, leased: LeasedExecution) => Promise<unknown>]>([
    [
      'completed',
      (q, { execution, leaseToken }) => executions.patch(q, execution.id, { status: 'completed' }, leaseToken),
    ],
    ['failed', (q, { execution, leaseToken }) => executions.fail(q, execution.id, 'no', leaseToken)],
    ['cancelled', (q, { execution }) => executions.cancel(q, execution.id, null)],
  ])('begins after the one before is %s', async (_status, end) => {
    const queue = newQueue();
    const first = await start(queue);
    const second = await start(queue);
    expect([first.waitsFor, second.waitsFor, second.status]).toEqual([null, first.id, 'pending']);
    const leased = await leaseOnly(queue, first.id);
    await run(queue, leased);
    expect(await context.get(TimelineService).read(queue, second.id)).toMatchObject({
      waits_for_execution_id: first.id,
      attempts: [{ attempt: 1, queued_at: null, outcome: null }],
    });
    expect(await poll(queue, 0)).toEqual([]);
    await end(queue, leased);
    await leaseOnly(queue, second.id);
    const { waits_for_execution_id: waitsFor, attempts } = await context.get(TimelineService).read(queue, second.id);
    expect([waitsFor, attempts.length, attempts[0]?.queued_at]).toEqual([null, 1, expect.any(Date)]);
  });

  it('waits for the attempts and the questions of the one before', async () => {
    const queue = newQueue();
    const first = await start(queue, undefined, {
      config: { session_id: 's', retry_policy: { retry_on: ['failed'], backoff: { delay_seconds: 0 } } },
    });
    const second = await start(queue);
    const { execution, leaseToken } = await leaseOnly(queue, first.id);
    await executions.patch(queue, execution.id, { status: 'failed' }, leaseToken);
    const again = await leaseOnly(queue, first.id);
    expect(again.attempt).toBe(2);
    await run(queue, again);
    await context.get(ConversationService).waitForInput(queue, first.id, {}, again.leaseToken);
    expect(await poll(queue, 0)).toEqual([]);
    await turns.advanceStalled(new AbortController().signal);
    expect(await poll(queue, 0)).toEqual([]);
    await executions.cancel(queue, first.id, null);
    await leaseOnly(queue, second.id);
  });

  it('is refused or runs beside it if the start says so', async () => {
    const queue = newQueue();
    const first = await start(queue, 'reject');
    await expect(start(queue, 'reject')).rejects.toMatchObject({
      code: 'session_busy',
      message: expect.stringContaining(first.id),
    });
    const beside = await start(queue, 'parallel');
    expect(beside.waitsFor).toBeNull();
    const leased = (await poll(queue)).concat(await poll(queue, 100));
    expect(leased.map(({ execution }) => execution.id)).toEqual([first.id, beside.id]);
    await Promise.all([first, beside].map(({ id }) => executions.cancel(queue, id, null)));
    expect((await start(queue, 'reject')).waitsFor).toBeNull();
  });

  it('is that of one user, and that of the parent for its children', async () => {
    const queue = newQueue();
    const first = await start(queue);
    const others = [
      await start({ ...queue, organizationId: newId() }),
      await start(queue, undefined, { user: { ...user, userId: 'user-2' } }),
      await start(queue, undefined, { user: { ...user, userId: null } }),
      await start(queue, undefined, { config: { session_id: 't' } }),
    ];
    const child = await start(queue, 'reject', { parentExecutionId: first.id });
    expect([...others, child].map(({ waitsFor }) => waitsFor)).toEqual([null, null, null, null, null]);
    const second = await start(queue);
    await executions.cancel(queue, first.id, null);
    await turns.advance({ organizationId: queue.organizationId, executionId: first.id });
    const waiting = await context.get(TimelineService).read(queue, second.id);
    expect(waiting.waits_for_execution_id).toBe(child.id);
  });

  it('is repaired if the message about the end before it was lost', async () => {
    const queue = newQueue();
    const first = await start(queue);
    const second = await start(queue);
    await context.database.sql(`UPDATE executions SET status = 'completed' WHERE id = $1`, [first.id]);
    await turns.advanceStalled(new AbortController().signal);
    await eventually(async () => {
      const waiting = await context.get(TimelineService).read(queue, second.id);
      expect(waiting.attempts[0]?.queued_at).not.toBeNull();
    });
  });

  it('gives the run the messages of all turns before it, also those of the same millisecond', async () => {
    const queue = newQueue();
    const first = await start(queue);
    const second = await start(queue);
    await context.database.sql(
      'UPDATE executions SET created_at = (SELECT created_at FROM executions WHERE id = $2) WHERE id = $1',
      [first.id, second.id],
    );
    const messages = [{ message_id: '1', role: 'user', content: 'My name is Ada.' }];
    await context.get(ConversationService).append(queue, first.id, { session_id: 's', messages }, null);
    const { earlier_messages } = await context.get(ConversationService).read(queue, second.id, 's', null);
    expect(earlier_messages).toEqual([{ role: 'user', content: 'My name is Ada.' }]);
  });

  it('is taken by an execution that has begun and whose worker names the session', async () => {
    const queue = newQueue();
    const first = await start(queue, undefined, { config: {} });
    const name = (): Promise<unknown> => context.get(SessionService).save(queue, first.id, { session_id: 's' }, null);
    await name();
    const second = await start(queue, 'parallel');
    expect(second.waitsFor).toBeNull();
    await executions.cancel(queue, second.id, null);
    await run(queue, await leaseOnly(queue, first.id));
    await name();
    expect((await start(queue)).waitsFor).toBe(first.id);
  });

  it('is that of the execution that has caused it, through any number of others', async () => {
    const queue = newQueue();
    const cause = await start(queue);
    const other = await start(queue, undefined, { config: {}, parentExecutionId: cause.id });
    const held = await start(queue, undefined, { parentExecutionId: other.id });
    expect(held.waitsFor).toBeNull();
    // A parent that waits itself waits for no child.
    const waiting = await start(queue);
    expect(waiting.waitsFor).not.toBeNull();
    expect((await start(queue, undefined, { parentExecutionId: waiting.id })).waitsFor).not.toBeNull();
  });

  it('cannot be begun by a client while it waits', async () => {
    const queue = newQueue();
    await start(queue);
    const second = await start(queue);
    await expect(executions.patch(queue, second.id, { status: 'running' }, null)).rejects.toMatchObject({
      code: 'execution_transition_refused',
    });
    // Its failure is its end, because only an attempt that is under way is repeated.
    const config = { session_id: 's', retry_policy: { retry_on: ['failed'], max_attempts: 3 } };
    const third = await start(queue, undefined, { config });
    await executions.patch(queue, third.id, { status: 'failed' }, null);
    expect(await executions.read(queue, third.id)).toMatchObject({ status: 'failed' });
  });

  it('costs an execution without a session no statement', async () => {
    const queue = newQueue();
    // The handlers of the ends in other tests have statements too.
    await eventually(async () => expect(await context.database.sql('SELECT topic FROM outbox')).toEqual([]));
    const statements = await statementsOf(() => start(queue, undefined, { config: {} }));
    expect(statements.filter((text) => !/outbox/i.test(text) || /INSERT INTO executions/.test(text))).toHaveLength(1);
  });

  it('never overlaps another one, and all run in the order of acceptance, whatever their ends', async () => {
    const ending = fc.constantFrom('complete', 'fail', 'retry', 'cancel', 'cancel waiting');
    await fc.assert(
      fc.asyncProperty(fc.array(ending, { minLength: 2, maxLength: 8 }), async (endings) => {
        const queue = newQueue();
        const retry_policy = { retry_on: ['failed'], max_attempts: 2, backoff: { delay_seconds: 0 } };
        const config = { session_id: 's', retry_policy };
        const started = await Promise.all(endings.map(() => start(queue, undefined, { config })));
        expect(started.filter(({ waitsFor }) => waitsFor === null)).toHaveLength(1);
        const order = await context.database.sql<{ id: string }>(
          'SELECT id FROM executions WHERE organization_id = $1 ORDER BY session_turn',
          [queue.organizationId],
        );
        const seen: string[] = [];
        const cancelled = new Set<string>();
        for (const [index, one] of endings.entries()) {
          if (one !== 'cancel waiting' || index === 0) continue;
          const id = order[index]?.id ?? '';
          await executions.cancel(queue, id, null);
          cancelled.add(id);
        }
        for (const { id } of order) {
          if (cancelled.has(id)) continue;
          const leased = await leaseOnly(queue, id);
          seen.push(id);
          await run(queue, leased);
          const how = endings[order.findIndex((one) => one.id === id)];
          const end = (status: 'completed' | 'failed', token: string): Promise<unknown> =>
            executions.patch(queue, id, { status }, token);
          if (how === 'complete') await end('completed', leased.leaseToken);
          else if (how === 'fail') await executions.fail(queue, id, 'no', leased.leaseToken);
          else if (how === 'retry') {
            await end('failed', leased.leaseToken);
            await end('failed', (await leaseOnly(queue, id)).leaseToken);
          } else await executions.cancel(queue, id, null);
        }
        expect(seen).toEqual(order.map(({ id }) => id).filter((id) => !cancelled.has(id)));
      }),
      { numRuns: 15 },
    );
  });
});
