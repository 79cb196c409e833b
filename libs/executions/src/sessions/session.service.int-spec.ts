import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { HistoryPage } from '@app/events';
import { newId, type Caller } from '@app/kernel';
import { createTestContext, ManualClock, testCaller, type TestContext } from '@app/testing';
import { ExecutionService } from '../executions/execution.service.js';
import { ExecutionsModule } from '../executions.module.js';
import { SessionService } from './session.service.js';
import type { SentMessage } from './session.types.js';
import { startOf } from '../testing/start-of.js';
import { OpenGateModule } from '../executions/open-gate.module.js';

const everything = { skip: 0, limit: 100 };

describe('the session of an execution', () => {
  const clock = new ManualClock();
  let context: TestContext;
  let executions: ExecutionService;
  let sessions: SessionService;

  beforeAll(async () => {
    context = await createTestContext([OpenGateModule, ExecutionsModule], { clock });
    executions = context.get(ExecutionService);
    sessions = context.get(SessionService);
  });

  afterAll(() => context.close());

  async function newExecution(): Promise<{ caller: Caller; id: string }> {
    const caller = testCaller();
    const { id } = await executions.create(caller, startOf(newId()));
    return { caller, id };
  }

  it('is missing until a worker stores it, then kept as it was sent', async () => {
    const { caller, id } = await newExecution();
    await expect(sessions.read(caller, id)).rejects.toMatchObject({ code: 'session_not_found' });
    const messages = [
      { role: 'user', content: 'hello', z: 1, a: { c: null, b: [1.5] } },
      { role: 'assistant', content: 'Hello yourself' },
    ];
    await sessions.save(caller, id, { session_id: 's1', messages }, null);
    const kept = await sessions.read(caller, id);
    expect(JSON.stringify(kept.messages)).toBe(JSON.stringify(messages));
    expect(kept).toMatchObject({ execution_id: id, session_id: 's1', user_id: null, metadata: {} });
    expect(await executions.read(caller, id)).toMatchObject({
      last_message_preview: 'Hello yourself',
      last_message_at: clock.now(),
    });
  });

  it('is there once somebody has sent a message, and holds the messages that are listed', async () => {
    const { caller, id } = await newExecution();
    const { message_id } = await sessions.send(caller, id, { message: 'first' }, null);
    expect(await sessions.read(caller, id)).toMatchObject({
      execution_id: id,
      session_id: null,
      user_id: null,
      metadata: {},
      messages: [{ message_id, content: 'first' }],
      created_at: clock.now(),
    });
    await sessions.save(caller, id, { session_id: 's1', messages: [{ role: 'assistant', content: 'stored' }] }, null);
    const { messages } = await sessions.read(caller, id);
    expect(messages.map(({ content }) => content)).toEqual(['stored', 'first']);
    expect(messages).toEqual((await sessions.messages(caller, id, everything)).items);
  });

  it('keeps what a later save does not name', async () => {
    const { caller, id } = await newExecution();
    await sessions.save(caller, id, { session_id: 's1', messages: [{ content: 'a' }], metadata: { k: 1 } }, null);
    clock.advance(1000);
    const saved = await sessions.save(caller, id, { messages: [{ content: 'a' }, { content: 'b' }] }, null);
    expect(saved).toMatchObject({ session_id: 's1', metadata: { k: 1 }, messages: [{}, {}], updated_at: clock.now() });
    expect(saved.created_at.getTime()).toBeLessThan(saved.updated_at.getTime());
  });

  it('refuses a writer whose lease is lost, and hides from other organisations', async () => {
    const { caller, id } = await newExecution();
    await expect(sessions.save(caller, id, { messages: [] }, 'stale')).rejects.toMatchObject({ code: 'lease_lost' });
    await expect(sessions.send(caller, id, { message: 'x' }, 'stale')).rejects.toMatchObject({ code: 'lease_lost' });
    for (const ask of [sessions.read(testCaller(), id), sessions.messages(testCaller(), id, everything)]) {
      await expect(ask).rejects.toMatchObject({ code: 'execution_not_found' });
    }
  });

  it('is followed by what people send into the execution, until the worker has stored that too', async () => {
    const { caller, id } = await newExecution();
    await sessions.save(caller, id, { messages: [{ message_id: 'm1', role: 'user', content: 'hello' }] }, null);
    const sent = await sessions.send(caller, id, { message: 'Are you there?' }, null);
    const contents = async (): Promise<unknown[]> =>
      (await sessions.messages(caller, id, everything)).items.map(({ content }) => content);
    expect(await contents()).toEqual(['hello', 'Are you there?']);
    await sessions.save(
      caller,
      id,
      { messages: [{ message_id: 'm1', content: 'hello' }, { ...sent }, { content: 'Yes' }] },
      null,
    );
    expect(await contents()).toEqual(['hello', 'Are you there?', 'Yes']);
  });

  it('is listed page by page, as it was sent', async () => {
    const { caller, id } = await newExecution();
    const stored = Array.from({ length: 5 }, (_, n) => ({
      z: n,
      a: { b: [1.5, null] },
      message_id: `m${n}`,
      content: n,
    }));
    await sessions.save(caller, id, { messages: stored }, null);
    const sent: SentMessage[] = [];
    for (const message of ['one', 'two', 'three']) {
      clock.advance(1);
      sent.push(await sessions.send(caller, id, { message }, null));
    }
    await sessions.save(caller, id, { messages: [...stored, { ...sent[1], seen: true }] }, null);
    const all = [...stored, { ...sent[1], seen: true }, sent[0], sent[2]];
    for (const [skip, limit] of [
      [0, 100],
      [0, 3],
      [4, 3],
      [6, 1],
      [8, 1],
    ] as const) {
      const page = await sessions.messages(caller, id, { skip, limit });
      expect(JSON.stringify(page)).toBe(JSON.stringify({ items: all.slice(skip, skip + limit), total: 8 }));
    }
    const history = await sessions.history(caller, id, 2);
    expect(JSON.stringify(history)).toBe(JSON.stringify({ messages: all.slice(2), complete: true }));
  });

  it('is read by those who follow a megabyte or so at a time, from any place on', async () => {
    const { caller, id } = await newExecution();
    const stored = ['a', 'b', 'c'].map((name) => ({ name, text: 'x'.repeat(600_000) }));
    await sessions.save(caller, id, { messages: stored }, null);
    await sessions.send(caller, id, { message: 'and this' }, null);
    const namesOf = ({ messages }: HistoryPage): unknown[] => messages.map(({ name, content }) => name ?? content);
    const [first, second, none] = [
      await sessions.history(caller, id, 0),
      await sessions.history(caller, id, 2),
      await sessions.history(caller, id, 4),
    ];
    expect([namesOf(first), first.complete]).toEqual([['a', 'b'], false]);
    expect([namesOf(second), second.complete]).toEqual([['c', 'and this'], true]);
    expect([namesOf(none), none.complete]).toEqual([[], true]);
  });

  it('is listed though a text was cut in the middle of a character, and hides no message that another one names', async () => {
    const { caller, id } = await newExecution();
    const sent = await sessions.send(caller, id, { message: 'Are you there?' }, null);
    const reply = { message_id: 'r', content: 'cut \ud83d', reply_to: { message_id: sent.message_id } };
    await sessions.save(caller, id, { messages: [reply] }, null);
    expect(await sessions.messages(caller, id, everything)).toEqual({ items: [reply, sent], total: 2 });
    await sessions.save(caller, id, { metadata: { kept: true } }, null);
    expect((await sessions.messages(caller, id, everything)).total).toBe(2);
  });

  it('has at most 10,000 messages, stored or sent', async () => {
    const { caller, id } = await newExecution();
    const messages = Array.from({ length: 10_001 }, () => ({}));
    const refused = { kind: 'invalid', message: 'A session should have at most 10000 messages' };
    await expect(sessions.save(caller, id, { messages }, null)).rejects.toMatchObject(refused);
    await sessions.save(caller, id, { messages: messages.slice(2) }, null);
    await sessions.send(caller, id, { message: 'the last one' }, null);
    await expect(sessions.send(caller, id, { message: 'one more' }, null)).rejects.toMatchObject(refused);
    expect(await sessions.messages(caller, id, { skip: 10_000, limit: 1 })).toEqual({ items: [], total: 10_000 });
  });

  it('takes what is sent to it up to 10 MiB, and more once its worker has stored that', async () => {
    const { caller, id } = await newExecution();
    const large = { message: 'x'.repeat(1_048_576) };
    const sent: SentMessage[] = [];
    for (let count = 0; count < 10; count += 1) sent.push(await sessions.send(caller, id, large, null));
    const refused = { kind: 'conflict', code: 'execution_messages_too_large' };
    await expect(sessions.send(caller, id, { message: 'more' }, null)).rejects.toMatchObject(refused);
    await sessions.save(caller, id, { messages: sent.map(({ message_id }) => ({ message_id })) }, null);
    await sessions.send(caller, id, { message: 'more' }, null);
  });

  it('is read once for a page of it', async () => {
    const { caller, id } = await newExecution();
    await sessions.save(caller, id, { messages: [{ content: 'a' }, { content: 'b' }] }, null);
    const asked = jest.spyOn(context.database, 'sql');
    try {
      expect(await sessions.messages(caller, id, { skip: 0, limit: 1 })).toMatchObject({ total: 2 });
      expect(asked).toHaveBeenCalledTimes(1);
    } finally {
      asked.mockRestore();
    }
  });

  it('makes who sends a message a participant, once', async () => {
    const { caller, id } = await newExecution();
    await sessions.send(caller, id, { message: 'one' }, null);
    clock.advance(1000);
    await sessions.send(caller, id, { message: 'two', role: 'system' }, null);
    const { participants, last_message_preview } = await executions.read(caller, id);
    expect(participants.map(({ user_id, role }) => [user_id, role])).toEqual([
      ['user-1', 'owner'],
      [caller.userId, 'member'],
    ]);
    expect(participants[1]?.last_active_at).toBe(clock.now().toISOString());
    expect(last_message_preview).toBe('two');
  });

  it('takes no message after the end', async () => {
    const { caller, id } = await newExecution();
    await executions.cancel(caller, id, null);
    await expect(sessions.send(caller, id, { message: 'late' }, null)).rejects.toMatchObject({
      code: 'execution_finished',
    });
    expect(await sessions.messages(caller, id, everything)).toEqual({ items: [], total: 0 });
  });
});
