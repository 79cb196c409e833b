import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { HistoryPage } from '@app/events';
import { newId, type Caller, type JsonObject } from '@app/kernel';
import { createTestContext, ManualClock, statementsOf, testCaller, type TestContext } from '@app/testing';
import { ExecutionService } from '../executions/execution.service.js';
import { ExecutionsModule } from '../executions.module.js';
import { SessionService } from './session.service.js';
import type { SentMessage } from './session.types.js';
import { startRequest } from '../testing/execution-fixtures.js';
import { OpenGateModule } from '../testing/open-gate.module.js';

const firstPage = { skip: 0, limit: 100 };

const named = (name: string, text = ''): JsonObject => ({ name, text });

describe('SessionService', () => {
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
    const { id } = await executions.create(caller, startRequest(newId()));
    return { caller, id };
  }

  it('throws not_found until a worker stores the session, then returns it verbatim', async () => {
    const { caller, id } = await newExecution();
    await expect(sessions.read(caller, id)).rejects.toMatchObject({ code: 'session_not_found' });
    const messages = [
      { role: 'user', content: 'hello', z: 1, a: { c: null, b: [1.5] } },
      { role: 'assistant', content: 'Hello yourself' },
    ];
    await sessions.save(caller, id, { session_id: 's1', messages }, null);
    const stored = await sessions.read(caller, id);
    expect(JSON.stringify(stored.messages)).toBe(JSON.stringify(messages));
    expect(stored).toMatchObject({ execution_id: id, session_id: 's1', user_id: 'user-1', metadata: {} });
    expect(await executions.read(caller, id)).toMatchObject({
      last_message_preview: 'Hello yourself',
      last_message_at: clock.now(),
    });
  });

  it('creates the session with the first sent message and returns the same messages as the list', async () => {
    const { caller, id } = await newExecution();
    const { message_id } = await sessions.send(caller, id, { message: 'first' }, null);
    expect(await sessions.read(caller, id)).toMatchObject({
      execution_id: id,
      session_id: null,
      user_id: 'user-1',
      metadata: {},
      messages: [{ message_id, content: 'first' }],
      created_at: clock.now(),
    });
    await sessions.save(caller, id, { session_id: 's1', messages: [{ role: 'assistant', content: 'stored' }] }, null);
    const { messages } = await sessions.read(caller, id);
    expect(messages.map(({ content }) => content)).toEqual(['stored', 'first']);
    expect(messages).toEqual((await sessions.messages(caller, id, firstPage)).items);
  });

  it('keeps fields that a later save omits', async () => {
    const { caller, id } = await newExecution();
    await sessions.save(caller, id, { session_id: 's1', messages: [{ content: 'a' }], metadata: { k: 1 } }, null);
    clock.advance(1000);
    const saved = await sessions.save(caller, id, { messages: [{ content: 'a' }, { content: 'b' }] }, null);
    expect(saved).toMatchObject({ session_id: 's1', metadata: { k: 1 }, messages: [{}, {}], updated_at: clock.now() });
    expect(saved.created_at.getTime()).toBeLessThan(saved.updated_at.getTime());
  });

  it('rejects a writer with a stale token, and readers of other organizations', async () => {
    const { caller, id } = await newExecution();
    await expect(sessions.save(caller, id, { messages: [] }, 'stale')).rejects.toMatchObject({ code: 'lease_lost' });
    await expect(sessions.send(caller, id, { message: 'x' }, 'stale')).rejects.toMatchObject({ code: 'lease_lost' });
    for (const request of [sessions.read(testCaller(), id), sessions.messages(testCaller(), id, firstPage)]) {
      await expect(request).rejects.toMatchObject({ code: 'execution_not_found' });
    }
  });

  it('appends sent messages to the list until the worker has stored them', async () => {
    const { caller, id } = await newExecution();
    await sessions.save(caller, id, { messages: [{ message_id: 'm1', role: 'user', content: 'hello' }] }, null);
    const sent = await sessions.send(caller, id, { message: 'Are you there?' }, null);
    const contents = async (): Promise<unknown[]> =>
      (await sessions.messages(caller, id, firstPage)).items.map(({ content }) => content);
    expect(await contents()).toEqual(['hello', 'Are you there?']);
    await sessions.save(
      caller,
      id,
      { messages: [{ message_id: 'm1', content: 'hello' }, { ...sent }, { content: 'Yes' }] },
      null,
    );
    expect(await contents()).toEqual(['hello', 'Are you there?', 'Yes']);
  });

  it('lists messages in pages, verbatim', async () => {
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
      const { items, total } = await sessions.messages(caller, id, { skip, limit });
      expect(JSON.stringify({ items, total })).toBe(JSON.stringify({ items: all.slice(skip, skip + limit), total: 8 }));
    }
    const history = await sessions.history(caller, id).next();
    expect(JSON.stringify(history)).toBe(JSON.stringify({ messages: all, complete: true }));
  });

  it('lists messages by cursor while the worker and users add messages', async () => {
    const { caller, id } = await newExecution();
    const say = (message: string): Promise<SentMessage> => sessions.send(caller, id, { message }, null);
    const store = (...contents: string[]): Promise<unknown> =>
      sessions.save(caller, id, { messages: contents.map((content) => ({ content })) }, null);
    await store('a', 'b');
    await say('c');
    const seen: unknown[] = [];
    let cursor: string | undefined;
    const next = async (limit: number): Promise<void> => {
      const page = await sessions.messages(caller, id, { skip: 0, limit, total: false, ...(cursor && { cursor }) });
      seen.push(...page.items.map(({ content }) => content));
      cursor = page.nextCursor;
    };
    await next(1);
    await next(1);
    clock.advance(1);
    await say('d');
    await next(1);
    await store('a', 'b', 'e');
    await next(1);
    await next(5);
    expect({ seen, cursor }).toEqual({ seen: ['a', 'b', 'c', 'e', 'd'], cursor: undefined });
    const { nextCursor = '' } = await sessions.messages(caller, id, { skip: 0, limit: 1 });
    const other = await newExecution();
    const wrong = sessions.messages(other.caller, other.id, { skip: 0, limit: 1, cursor: nextCursor });
    await expect(wrong).rejects.toMatchObject({ kind: 'invalid', faults: [{ path: ['cursor'] }] });
  });

  it('returns the history in parts of about 1 MiB', async () => {
    const { caller, id } = await newExecution();
    const stored = ['a', 'b', 'c'].map((name) => ({ name, text: 'x'.repeat(600_000) }));
    await sessions.save(caller, id, { messages: stored }, null);
    await sessions.send(caller, id, { message: 'and this' }, null);
    const namesOf = ({ messages }: HistoryPage): unknown[] => messages.map(({ name, content }) => name ?? content);
    const reader = sessions.history(caller, id);
    const [first, second, none] = [await reader.next(), await reader.next(), await reader.next()];
    expect([namesOf(first), first.complete]).toEqual([['a', 'b'], false]);
    expect([namesOf(second), second.complete]).toEqual([['c', 'and this'], true]);
    expect([namesOf(none), none.complete]).toEqual([[], true]);
  });

  it.each<[string, (stored: readonly JsonObject[], sent: SentMessage) => readonly JsonObject[], readonly string[]]>([
    ['grew', (stored) => [...stored, named('d')], ['b', 'c', 'd', 'sent']],
    [
      'changes before the position of the reader',
      ([, b, c]) => [named('x'), b ?? {}, c ?? {}],
      ['b', 'x', 'b', 'c', 'sent'],
    ],
    ['became shorter', ([a]) => [a ?? {}, named('z')], ['b', 'z', 'sent']],
    ['was replaced', () => [named('x'), named('y')], ['b', 'x', 'y', 'sent']],
    [
      'receives the sent message',
      (stored, sent) => [...stored, { ...sent, name: 'sent' }, named('e')],
      ['b', 'c', 'sent', 'e'],
    ],
    ['became empty', () => [], ['b', 'sent']],
  ])('reads a history without a gap if the stored list %s', async (_change, change, expected) => {
    const { caller, id } = await newExecution();
    const stored = ['a', 'b', 'c'].map((name) => named(name, 'x'.repeat(600_000)));
    await sessions.save(caller, id, { messages: stored }, null);
    const sent = await sessions.send(caller, id, { message: 'sent' }, null);
    const reader = sessions.history(caller, id);
    const first = await reader.next();
    expect(first.messages.map(({ name }) => name)).toEqual(['a', 'b']);
    await sessions.save(caller, id, { messages: change(stored, sent) }, null);
    const rest: unknown[] = [first.messages.at(-1)?.['name']];
    for (let complete = false; !complete;) {
      const part = await reader.next();
      rest.push(...part.messages.map(({ name, content }) => name ?? content));
      complete = part.complete;
    }
    expect(rest).toEqual(expected);
  });

  it('returns a sent message once, even if the worker stores it afterwards', async () => {
    const { caller, id } = await newExecution();
    const sent = await sessions.send(caller, id, { message: 'sent' }, null);
    const reader = sessions.history(caller, id);
    expect(await reader.next()).toEqual({ messages: [sent], complete: true });
    await sessions.save(caller, id, { messages: [named('first'), { ...sent }] }, null);
    expect(await reader.next()).toEqual({ messages: [named('first')], complete: true });
  });

  it('lists messages that contain an unpaired surrogate, and sent messages that another message refers to', async () => {
    const { caller, id } = await newExecution();
    const sent = await sessions.send(caller, id, { message: 'Are you there?' }, null);
    const reply = { message_id: 'r', content: 'cut \ud83d', reply_to: { message_id: sent.message_id } };
    await sessions.save(caller, id, { messages: [reply] }, null);
    expect(await sessions.messages(caller, id, firstPage)).toEqual({ items: [reply, sent], total: 2 });
    await sessions.save(caller, id, { metadata: { kept: true } }, null);
    expect((await sessions.messages(caller, id, firstPage)).total).toBe(2);
  });

  it('rejects more than 10,000 messages, stored or sent', async () => {
    const { caller, id } = await newExecution();
    const messages = Array.from({ length: 10_001 }, () => ({}));
    const rejection = { kind: 'invalid', message: 'A session should have at most 10000 messages' };
    await expect(sessions.save(caller, id, { messages }, null)).rejects.toMatchObject(rejection);
    await sessions.save(caller, id, { messages: messages.slice(2) }, null);
    await sessions.send(caller, id, { message: 'the last one' }, null);
    await expect(sessions.send(caller, id, { message: 'one more' }, null)).rejects.toMatchObject(rejection);
    expect(await sessions.messages(caller, id, { skip: 10_000, limit: 1 })).toEqual({ items: [], total: 10_000 });
  });

  it('rejects sent messages above 10 MiB until the worker has stored some', async () => {
    const { caller, id } = await newExecution();
    const large = { message: 'x'.repeat(1_048_576) };
    const sent: SentMessage[] = [];
    for (let count = 0; count < 10; count += 1) sent.push(await sessions.send(caller, id, large, null));
    const rejection = { kind: 'conflict', code: 'execution_messages_too_large' };
    await expect(sessions.send(caller, id, { message: 'more' }, null)).rejects.toMatchObject(rejection);
    await sessions.save(caller, id, { messages: sent.map(({ message_id }) => ({ message_id })) }, null);
    await sessions.send(caller, id, { message: 'more' }, null);
  });

  it('reads a page of messages with one statement', async () => {
    const { caller, id } = await newExecution();
    await sessions.save(caller, id, { messages: [{ content: 'a' }, { content: 'b' }] }, null);
    const read = async (): Promise<void> => {
      expect(await sessions.messages(caller, id, { skip: 0, limit: 1 })).toMatchObject({ total: 2 });
    };
    expect(await statementsOf(read)).toHaveLength(1);
  });

  it('adds the sender of a message to the participants once', async () => {
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

  it('rejects messages after the execution has ended', async () => {
    const { caller, id } = await newExecution();
    await executions.cancel(caller, id, null);
    await expect(sessions.send(caller, id, { message: 'late' }, null)).rejects.toMatchObject({
      code: 'execution_finished',
    });
    expect(await sessions.messages(caller, id, firstPage)).toEqual({ items: [], total: 0 });
  });
});
