import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId, type Caller, type JsonObject } from '@app/kernel';
import { createTestContext, ManualClock, testCaller, type TestContext } from '@app/testing';
import fc from 'fast-check';
import { OpenGateModule } from '../testing/open-gate.module.js';
import { ExecutionService } from '../executions/execution.service.js';
import { ExecutionsModule } from '../executions.module.js';
import { startRequest } from '../testing/execution-fixtures.js';
import { ConversationService } from './conversation.service.js';
import { SessionService } from './session.service.js';

/** There are few different ids, so that lists contain the same messages repeatedly. */
const message = fc.record({ message_id: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f'), n: fc.nat(2) });
const messages = fc.array(message, { maxLength: 8 });

type Step =
  | { readonly do: 'append' | 'replace'; readonly messages: readonly JsonObject[] }
  /** Replaces the list by its first `keep` messages, followed by `messages`. */
  | { readonly do: 'edit'; readonly keep: number; readonly messages: readonly JsonObject[] }
  /** Stores a sent message; `place` selects it among all sent ones. */
  | { readonly do: 'take'; readonly place: number }
  | { readonly do: 'send' }
  | { readonly do: 'page'; readonly limit: number };

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ do: fc.constant('append' as const), messages }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('replace' as const), messages }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('edit' as const), keep: fc.nat(6), messages }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('take' as const), place: fc.nat(3) }) },
  { weight: 2, arbitrary: fc.constant({ do: 'send' as const }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('page' as const), limit: fc.integer({ min: 1, max: 5 }) }) },
);

/** A message of the model. If a message is stored at another position, it is another entry. */
interface Entry {
  readonly message: JsonObject;
}

/** A conversation as two plain lists: the stored messages and the sent ones. */
class Model {
  stored: Entry[] = [];
  readonly allSent: JsonObject[] = [];

  get sent(): readonly JsonObject[] {
    const ids = new Set(this.stored.map(({ message: { message_id: id } }) => id));
    return this.allSent.filter(({ message_id: id }) => !ids.has(id));
  }

  get list(): readonly JsonObject[] {
    return [...this.stored.map(({ message: one }) => one), ...this.sent];
  }

  append(given: readonly JsonObject[]): void {
    for (const one of given) {
      const isKnown = this.stored.some(({ message: { message_id: id } }) => id === one['message_id']);
      if (!isKnown) this.stored.push({ message: one });
    }
  }

  replace(given: readonly JsonObject[]): void {
    const text = (one: JsonObject | undefined): string => JSON.stringify(one);
    const changed = given.findIndex((one, n) => text(one) !== text(this.stored[n]?.message));
    const kept = changed === -1 ? given.length : changed;
    this.stored = [...this.stored.slice(0, kept), ...given.slice(kept).map((one) => ({ message: one }))];
  }
}

/** Reads the conversation page by page between the writes, and checks the content of each page. */
class Reader {
  private cursor: string | undefined;
  private readonly passed = new Set<Entry>();
  private sentPassed = 0;

  constructor(
    private readonly model: Model,
    private readonly read: (page: { limit: number; cursor?: string }) => ReturnType<SessionService['messages']>,
  ) {}

  async page(limit: number): Promise<void> {
    const stored = this.model.stored.filter((entry) => !this.passed.has(entry));
    const sent = this.model.sent.filter((one) => this.model.allSent.indexOf(one) >= this.sentPassed);
    const expected = [...stored.map(({ message: one }) => one), ...sent].slice(0, limit);
    const page = await this.read({ limit, ...(this.cursor !== undefined && { cursor: this.cursor }) });
    expect(page.items).toEqual(expected);
    expect(page.total).toBe(this.model.list.length);
    expect(page.nextCursor !== undefined).toBe(stored.length + sent.length > limit);
    // At the end of the list, the reader keeps its cursor and reads again later.
    if (page.nextCursor === undefined) return;
    this.cursor = page.nextCursor;
    for (const entry of stored.slice(0, limit)) this.passed.add(entry);
    const last = sent[limit - stored.length - 1];
    if (last !== undefined) this.sentPassed = this.model.allSent.indexOf(last) + 1;
  }
}

describe('a stored conversation', () => {
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

  const newExecution = async (caller: Caller): Promise<string> =>
    (await executions.create(caller, startRequest(newId()))).id;

  async function write(caller: Caller, id: string, model: Model, one: Step): Promise<void> {
    if (one.do === 'append') {
      const stored = await conversations.append(caller, id, { messages: one.messages }, null);
      model.append(one.messages);
      expect(stored).toBe(model.stored.length);
    } else if (one.do === 'send') {
      clock.advance(1);
      model.allSent.push({ ...(await sessions.send(caller, id, { message: 'sent' }, null)) });
    } else if (one.do === 'take') {
      const taken = model.allSent.slice(one.place, one.place + 1);
      await conversations.append(caller, id, { messages: taken }, null);
      model.append(taken);
    } else if (one.do !== 'page') {
      const kept = one.do === 'edit' ? model.stored.slice(0, one.keep).map(({ message: stored }) => stored) : [];
      const given = [...kept, ...one.messages];
      const saved = await sessions.save(caller, id, { messages: given }, null);
      expect(saved.messages).toEqual(given);
      model.replace(given);
    }
  }

  /** Compares the counters of the session, on which limits and totals depend, with its rows. */
  async function expectCountersToAgree(id: string): Promise<void> {
    const [row] = await context.database.sql<{ wrong: boolean }>(
      `SELECT stored_messages <> count(position) OR stored_bytes <> coalesce(sum(octet_length(message::text)), 0)
         OR coalesce(bool_or(bytes <> octet_length(message::text)), false)
         OR coalesce(max(position), 0) > last_position AS wrong
       FROM execution_sessions LEFT JOIN session_messages USING (organization_id, execution_id)
       WHERE execution_id = $1 GROUP BY stored_messages, stored_bytes, last_position`,
      [id],
    );
    expect(row?.wrong ?? false).toBe(false);
  }

  it('equals a plain list when it is read in pages by skip or by cursor, whatever is written between the pages', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 25 }), async (steps) => {
        const caller = testCaller();
        const id = await newExecution(caller);
        const model = new Model();
        const read = ({ limit, cursor }: { limit: number; cursor?: string }): ReturnType<SessionService['messages']> =>
          sessions.messages(caller, id, { skip: 0, limit, ...(cursor !== undefined && { cursor }) });
        const reader = new Reader(model, read);
        for (const one of steps) {
          if (one.do === 'page') await reader.page(one.limit);
          else await write(caller, id, model, one);
        }
        const { list } = model;
        const whole = await sessions.messages(caller, id, { skip: 0, limit: 1000 });
        expect(whole.items).toEqual(list);
        const middle = Math.floor(list.length / 2);
        for (const skip of [middle, list.length, Math.max(model.stored.length - 1, 0)]) {
          const page = await sessions.messages(caller, id, { skip, limit: 3 });
          expect([page.items, page.total]).toEqual([list.slice(skip, skip + 3), list.length]);
        }
        expect((await sessions.history(caller, id).next()).messages).toEqual(list);
        expect((await conversations.read(caller, id, null, null)).messages).toEqual(list);
        await expectCountersToAgree(id);
      }),
      { numRuns: 60 },
    );
  });

  it('stores each message of concurrent writers once, and a concurrent reader misses none', async () => {
    const caller = testCaller();
    const id = await newExecution(caller);
    const batches = Array.from({ length: 12 }, (_, batch) =>
      // Consecutive batches share a message.
      Array.from({ length: 6 }, (_unused, n) => ({ message_id: `m${batch * 5 + n}`, content: 'x' })),
    );
    const writes = Promise.all(batches.map((given) => conversations.append(caller, id, { messages: given }, null)));
    const seen: unknown[] = [];
    let cursor: string | undefined;
    let isWritten = false;
    void writes.then(() => (isWritten = true));
    const total = batches.length * 5 + 1;
    for (let looks = 0; seen.length < total && looks < 10_000; looks += 1) {
      const isLast = isWritten;
      const page = await sessions.messages(caller, id, { skip: 0, limit: 2, ...(cursor !== undefined && { cursor }) });
      if (page.nextCursor !== undefined) {
        cursor = page.nextCursor;
        seen.push(...page.items.map(({ message_id: one }) => one));
      } else if (isLast) {
        seen.push(...page.items.map(({ message_id: one }) => one));
        break;
      }
    }
    await writes;
    const stored = (await sessions.read(caller, id)).messages.map(({ message_id: one }) => one);
    expect([stored.length, new Set(stored).size]).toEqual([total, total]);
    expect(seen).toEqual(stored);
    await expectCountersToAgree(id);
  });
});
