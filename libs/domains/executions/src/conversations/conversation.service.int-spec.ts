import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { EventLog, type ExecutionRef } from '@app/events';
import { newId, type Caller, type JsonObject } from '@app/kernel';
import { createTestContext, eventually, ManualClock, testCaller, type TestContext } from '@app/testing';
import { OpenGateModule } from '../testing/open-gate.module.js';
import { ExecutionService } from '../executions/execution.service.js';
import { ExecutionsModule } from '../executions.module.js';
import { LeaseService } from '../leases/lease.service.js';
import { startRequest } from '../testing/execution-fixtures.js';
import { ConversationService } from './conversation.service.js';
import { SessionService } from './session.service.js';

const said = (id: string, role: string, content: string, more: JsonObject = {}): JsonObject => ({
  message_id: id,
  role,
  content,
  ...more,
});

describe('ConversationService', () => {
  const clock = new ManualClock();
  let context: TestContext;
  let executions: ExecutionService;
  let sessions: SessionService;
  let conversations: ConversationService;

  beforeAll(async () => {
    context = await createTestContext([OpenGateModule, ExecutionsModule], { clock });
    executions = context.get(ExecutionService);
    sessions = context.get(SessionService);
    conversations = context.get(ConversationService);
  });

  afterAll(() => context.close());

  async function newExecution(caller: Caller, user = caller): Promise<string> {
    clock.advance(1000);
    return (await executions.create(caller, { ...startRequest(newId()), user })).id;
  }

  async function publishedStatuses(execution: ExecutionRef): Promise<unknown[]> {
    const { frames } = await context.get(EventLog).read(execution, 'oldest');
    const events = frames.map(({ bytes }) => bytes.toString()).filter((text) => text.includes('event: status\n'));
    return events.map((text) => /"status":"(\w+)"/.exec(text)?.[1]);
  }

  const listed = async (caller: Caller, id: string): Promise<unknown[]> =>
    (await sessions.messages(caller, id, { skip: 0, limit: 100 })).items.map(({ message_id: one }) => one);

  it('appends messages in order and leaves out those that are already stored', async () => {
    const caller = testCaller();
    const id = await newExecution(caller);
    const first = [said('1', 'user', 'Hello'), said('2', 'assistant', 'Hi')];
    expect(await conversations.append(caller, id, { session_id: 's', messages: first }, null)).toBe(2);
    const next = [said('2', 'assistant', 'again'), said('3', 'tool', 'a \ud800 b'), said('3', 'tool', 'twice')];
    expect(await conversations.append(caller, id, { messages: next }, null)).toBe(3);
    expect(await listed(caller, id)).toEqual(['1', '2', '3']);
    const stored = await sessions.read(caller, id);
    expect(stored).toMatchObject({ session_id: 's', messages: [{}, { content: 'Hi' }, { content: 'a \ud800 b' }] });
    expect(await executions.read(caller, id)).toMatchObject({ last_message_preview: 'again' });
  });

  it('moves a sent message to the position at which the worker stores it, also for a reader of the history', async () => {
    const caller = testCaller();
    const id = await newExecution(caller);
    await conversations.append(caller, id, { messages: [said('1', 'assistant', 'Which?')] }, null);
    const sent = await sessions.send(caller, id, { message: 'This' }, null);
    const reader = sessions.history(caller, id);
    expect((await reader.next()).messages).toHaveLength(2);
    await conversations.append(caller, id, { messages: [{ ...sent }, said('3', 'assistant', 'Thanks')] }, null);
    expect(await listed(caller, id)).toEqual(['1', sent.message_id, '3']);
    expect((await reader.next()).messages).toMatchObject([{ message_id: '3' }]);
  });

  it('rejects messages without an id, too many and too large ones, and stale tokens', async () => {
    const caller = testCaller();
    const id = await newExecution(caller);
    const append = (messages: readonly JsonObject[], token: string | null = null): Promise<number> =>
      conversations.append(caller, id, { messages }, token);
    const faults = [{ path: ['messages', '1', 'message_id'] }];
    await expect(append([said('1', 'user', 'x'), { content: 'x' }])).rejects.toMatchObject({ faults });
    await expect(append([said('1', 'user', 'x')], 'stale')).rejects.toMatchObject({ code: 'lease_lost' });
    const megabyte = 'x'.repeat(1_048_576);
    for (let part = 0; part < 9; part += 1) await append([said(`large ${part}`, 'tool', megabyte)]);
    await expect(append([said('more', 'tool', megabyte)])).rejects.toMatchObject({ kind: 'invalid' });
    expect(await append([said('small', 'tool', 'x')])).toBe(10);
    const many = Array.from({ length: 9991 }, (_, n) => said(`m${n}`, 'user', ''));
    await expect(append(many)).rejects.toMatchObject({ kind: 'invalid' });
    await expect(conversations.append(testCaller(), id, { messages: [] }, null)).rejects.toMatchObject({
      code: 'execution_not_found',
    });
  });

  it('stores the last messages of a full session again without an error', async () => {
    const caller = testCaller();
    const [many, large] = [await newExecution(caller), await newExecution(caller)];
    const append = (id: string, messages: readonly JsonObject[]): Promise<number> =>
      conversations.append(caller, id, { messages }, null);
    const filling = Array.from({ length: 10_000 }, (_, n) => said(`m${n}`, 'user', ''));
    await sessions.save(caller, many, { messages: filling.slice(0, -10) }, null);
    const last = filling.slice(-10);
    for (let repetition = 0; repetition < 2; repetition += 1) expect(await append(many, last)).toBe(10_000);
    await expect(append(many, [...last, said('more', 'user', '')])).rejects.toMatchObject({ kind: 'invalid' });
    const half = 'x'.repeat(5 * 1_048_576 - 100);
    await append(large, [said('1', 'tool', half)]);
    for (let repetition = 0; repetition < 2; repetition += 1)
      expect(await append(large, [said('2', 'tool', half)])).toBe(2);
    await expect(append(large, [said('3', 'tool', half)])).rejects.toMatchObject({ kind: 'invalid' });
    expect(await append(large, [])).toBe(2);
  });

  it('publishes that an execution waits for input before it is queued again for a message', async () => {
    const caller = testCaller();
    const queueId = newId();
    const { id } = await executions.start(caller, startRequest(queueId));
    const poll = { workerId: newId(), queueId, max: 1, waitMs: 5000, leaseMs: 60_000, confirmMs: 60_000 };
    const [leased] = await context.get(LeaseService).poll(caller, poll);
    const token = leased?.leaseToken ?? 'missing';
    await executions.patch(caller, id, { status: 'running' }, token);
    await sessions.send(caller, id, { message: 'This' }, null);
    expect(await conversations.waitForInput(caller, id, {}, token)).toMatchObject({ status: 'pending' });
    await eventually(async () => {
      const statuses = await publishedStatuses({ organizationId: caller.organizationId, executionId: id });
      expect(statuses).toEqual(['running', 'waiting_for_input', 'pending']);
    });
  });

  it('returns the texts of earlier executions of the same session and user', async () => {
    const caller = testCaller();
    const colleague: Caller = { ...caller, userId: newId() };
    const conversation = async (who: Caller, session_id: string, name: string): Promise<string> => {
      const id = await newExecution(caller, who);
      const messages = [
        said(newId(), 'user', `${name}?`),
        said(newId(), 'assistant', '', { tool_calls: [{ id: 'c', name: 'add', arguments: {} }] }),
        said(newId(), 'tool', '42', { tool_call_id: 'c' }),
        said(newId(), 'assistant', 'of a member', { source: 'member' }),
        said(newId(), 'assistant', `${name}!`),
      ];
      await conversations.append(caller, id, { session_id, messages }, null);
      return id;
    };
    await conversation(caller, 's', 'one');
    await conversation(colleague, 's', 'of the colleague');
    await conversation(caller, 'other', 'of another session');
    await conversation(caller, 's', 'two');
    const own = await conversation(caller, 's', 'own');
    await conversation(caller, 's', 'of a newer one');
    const read = await conversations.read(caller, own, 's', null);
    expect(read.earlier_messages.map(({ content }) => content)).toEqual(['one?', 'one!', 'two?', 'two!']);
    expect(read.messages).toHaveLength(5);
    expect((await conversations.read(caller, own, null, null)).earlier_messages).toEqual([]);
    await expect(conversations.read(caller, own, 's', 'stale')).rejects.toMatchObject({ code: 'lease_lost' });
    await expect(conversations.read(testCaller(), own, 's', null)).rejects.toMatchObject({ kind: 'not_found' });
  });

  it('returns the newest earlier messages up to a limit', async () => {
    const caller = testCaller();
    const texts = (count: number, length: number): JsonObject[] =>
      Array.from({ length: count }, (_, n) => said(newId(), 'user', `${n} `.padEnd(length, 'x')));
    const first = await newExecution(caller);
    await conversations.append(caller, first, { session_id: 'many', messages: texts(150, 10) }, null);
    const second = await newExecution(caller);
    const many = (await conversations.read(caller, second, 'many', null)).earlier_messages;
    expect([many.length, many[0]]).toEqual([100, expect.objectContaining({ content: '50 xxxxxxx' })]);
    await conversations.append(caller, second, { session_id: 'large', messages: texts(10, 100_000) }, null);
    const large = (await conversations.read(caller, await newExecution(caller), 'large', null)).earlier_messages;
    expect(large.map(({ content }) => String(content).slice(0, 2))).toEqual(['8 ', '9 ']);
  });
});
