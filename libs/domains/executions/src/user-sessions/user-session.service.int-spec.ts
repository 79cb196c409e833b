import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { migrations } from '@app/database';
import { newId, type Caller } from '@app/kernel';
import { createTestContext, eventually, ManualClock, testCaller, type TestContext } from '@app/testing';
import { ExecutionService } from '../executions/execution.service.js';
import { ExecutionsHandlersModule } from '../executions.handlers.module.js';
import { ExecutionRetentionTask } from '../retention/execution-retention.task.js';
import { ConversationService } from '../conversations/conversation.service.js';
import { SessionService } from '../conversations/session.service.js';
import { MAX_STORED_BYTES } from '../conversations/session.types.js';
import { startRequest } from '../testing/execution-fixtures.js';
import { OpenGateModule } from '../testing/open-gate.module.js';
import { UserSessionService } from './user-session.service.js';
import type { SessionMessage, UserSession } from './user-session.types.js';

const DAY_MS = 86_400_000;
const never = new AbortController().signal;

describe('UserSessionService', () => {
  const clock = new ManualClock();
  let context: TestContext;
  let executions: ExecutionService;
  let sessions: UserSessionService;

  beforeAll(async () => {
    context = await createTestContext([OpenGateModule, ExecutionsHandlersModule], { clock });
    executions = context.get(ExecutionService);
    sessions = context.get(UserSessionService);
  });

  afterAll(() => context.close());

  const page = (cursor?: string, limit = 100): { skip: number; limit: number; cursor?: string } => ({
    ...{ skip: 0, limit },
    ...(cursor !== undefined && { cursor }),
  });

  /** Starts an execution in the session `s` and stores messages in it. */
  async function say(caller: Caller, contents: readonly string[], parentExecutionId?: string): Promise<string> {
    clock.advance(1);
    const parent = parentExecutionId === undefined ? {} : { parentExecutionId };
    const request = { ...startRequest(newId()), user: caller, config: { session_id: 's' }, ...parent };
    const { id } = await executions.start(caller, request);
    const messages = contents.map((content) => ({ message_id: content.slice(0, 20), role: 'user', content }));
    await context.get(ConversationService).append(caller, id, { session_id: 's', messages }, null);
    return id;
  }

  async function only(caller: Caller): Promise<UserSession> {
    const { items } = await sessions.list(caller, {}, page());
    expect(items).toHaveLength(1);
    return items[0] as UserSession;
  }

  const textsOf = (messages: readonly SessionMessage[]): unknown[] => messages.map(({ message }) => message['content']);

  it('lists the messages in the order of the turns, those of children and sent ones included, at any page size', async () => {
    const caller = testCaller();
    const first = await say(caller, ['a', 'b']);
    await say(caller, ['c']);
    const child = await say(caller, ['d', 'e'], first);
    await context.get(SessionService).send(caller, first, { message: 'sent 1' }, null);
    await context.get(SessionService).send(caller, first, { message: 'sent 2' }, null);
    await context.get(SessionService).send(caller, child, { message: 'sent 3' }, null);
    const { id } = await only(caller);
    const order = ['a', 'b', 'sent 1', 'sent 2', 'd', 'e', 'sent 3', 'c'];
    for (const limit of [1, 2, 3, 100]) {
      const seen: unknown[] = [];
      let cursor: string | undefined;
      do {
        const { items, nextCursor, total } = await sessions.messages(caller, id, page(cursor, limit));
        expect(total).toBe(order.length);
        seen.push(...textsOf(items));
        cursor = nextCursor;
      } while (cursor !== undefined);
      expect(seen).toEqual(order);
    }
    const { items } = await sessions.messages(caller, id, { skip: 4, limit: 2, total: false });
    expect(textsOf(items)).toEqual(['d', 'e']);
  });

  it('gives a fork to the user who wants it, up to the newest message with the id', async () => {
    const caller = testCaller();
    const first = await say(caller, ['a', 'b']);
    await executions.cancel(caller, first, null);
    const second = await say(caller, ['b', 'c']);
    await executions.cancel(caller, second, null);
    const { id } = await only(caller);
    const other = testCaller({ organizationId: caller.organizationId, userName: 'Other' });
    const fork = await sessions.fork(other, id, 'b', null);
    expect(fork).toMatchObject({ user_id: other.userId, user_name: 'Other', forked_from_id: id, turns: 0 });
    const forkOfFork = await sessions.fork(other, fork.id, null, null);
    for (const one of [fork, forkOfFork]) {
      const { items } = await sessions.messages(other, one.id, page());
      expect(textsOf(items)).toEqual(['a', 'b', 'b']);
      expect(items.map(({ execution_id }) => execution_id)).toEqual([first, first, second]);
    }
    await expect(sessions.fork(testCaller(), id, null, null)).rejects.toMatchObject({ code: 'session_not_found' });
    await expect(sessions.fork(caller, id, 'x', null)).rejects.toMatchObject({ code: 'session_message_not_found' });
  });

  it('copies no more messages than a conversation holds', async () => {
    const caller = testCaller();
    const half = 'x'.repeat(MAX_STORED_BYTES / 2);
    await say(caller, [half]);
    await say(caller, [half]);
    const { id } = await only(caller);
    await expect(sessions.fork(caller, id, null, null)).rejects.toMatchObject({ kind: 'invalid' });
    expect(await sessions.list(caller, {}, page())).toMatchObject({ total: 1 });
  });

  it('does not create a deleted session again for what a worker still stores', async () => {
    const caller = testCaller();
    const executionId = await say(caller, ['a']);
    const { id } = await only(caller);
    await executions.cancel(caller, executionId, null);
    await sessions.delete(caller, id);
    const messages = [{ message_id: 'late', role: 'assistant', content: 'late' }];
    await context.get(ConversationService).append(caller, executionId, { session_id: 's', messages }, null);
    expect((await sessions.list(caller, {}, page())).items).toEqual([]);
  });

  it('is made of the executions of versions that knew no sessions', async () => {
    const caller = testCaller();
    const ids = [await say(caller, ['a']), await say(caller, ['b'])];
    const before = await only(caller);
    const { database } = context;
    await database.sql('UPDATE executions SET session_id = NULL, session_turn = NULL WHERE organization_id = $1', [
      caller.organizationId,
    ]);
    await database.sql('DELETE FROM user_sessions WHERE organization_id = $1', [caller.organizationId]);
    const Backfill = migrations.find(({ name }) => name.startsWith('TurnsOfEarlierExecutions'));
    if (Backfill === undefined) throw new Error('There is no such migration');
    const runner = database.dataSource.createQueryRunner();
    await new Backfill().up(runner);
    await runner.release();
    const { created_at, last_activity_at } = before;
    expect(await only(caller)).toMatchObject({ session_id: 's', created_at, last_activity_at });
    const turns = await database.sql(
      'SELECT id, session_turn AS turn FROM executions WHERE organization_id = $1 ORDER BY 2',
      [caller.organizationId],
    );
    expect(turns).toEqual(ids.map((id, index) => ({ id, turn: index + 1 })));
    const third = await say(caller, ['c']);
    const [row] = await database.sql('SELECT session_turn AS turn FROM executions WHERE id = $1', [third]);
    expect(row).toEqual({ turn: 3 });
  });

  it('keeps a session as long as it has executions, otherwise for the time after its last use', async () => {
    const caller = testCaller();
    const open = await say(caller, ['a']);
    const { id } = await only(caller);
    const fork = await sessions.fork(caller, id, null, null);
    clock.advance(91 * DAY_MS);
    await context.get(ExecutionRetentionTask).run(never);
    await expect(sessions.read(caller, fork.id)).rejects.toMatchObject({ code: 'session_not_found' });
    expect((await only(caller)).running_execution_id).toBe(open);
    await executions.cancel(caller, open, null);
    // The handler of the end notes the activity.
    await eventually(async () => expect(await context.database.sql('SELECT topic FROM outbox')).toEqual([]));
    clock.advance(91 * DAY_MS);
    await context.get(ExecutionRetentionTask).run(never);
    await expect(sessions.read(caller, id)).rejects.toMatchObject({ code: 'session_not_found' });
    const rows = await context.database.sql('SELECT 1 FROM user_session_messages WHERE organization_id = $1', [
      caller.organizationId,
    ]);
    expect(rows).toEqual([]);
  });
});
