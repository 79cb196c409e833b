import { createTestContext, eventually, type TestContext } from '@app/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Database } from '../database.js';
import { endStatementsWith, ReadEnded } from './statement-end.js';

const RUNNING = `SELECT pid FROM pg_stat_activity WHERE state = 'active' AND query LIKE $1 AND pid <> pg_backend_pid()`;

describe('statements with an abort signal', () => {
  let context: TestContext;
  let database: Database;

  beforeAll(async () => {
    context = await createTestContext([]);
    database = context.get(Database);
  });

  afterAll(() => context.close());

  const running = async (mark: string): Promise<number> => (await database.sql(RUNNING, [`%${mark}%`])).length;
  const codeOf = (work: Promise<unknown>): Promise<unknown> =>
    work.then(
      () => 'no error',
      (error: unknown) => (error as { code?: unknown }).code,
    );

  /** Begins `work` with a signal, and aborts it while its marked statement runs. Returns the code of its error. */
  async function endedWhileRunning(mark: string, work: () => Promise<unknown>): Promise<unknown> {
    const end = new AbortController();
    const code = codeOf(endStatementsWith(end.signal, work));
    await eventually(async () => expect(await running(mark)).toBe(1));
    end.abort(new ReadEnded('over'));
    return code;
  }

  it.each([
    ['alone', (text: string) => database.sql(text)],
    ['in a transaction', (text: string) => database.transaction(() => database.sql(text))],
    ['on a snapshot', (text: string) => database.snapshot(() => database.sql(text))],
  ])('are cancelled in PostgreSQL: %s', async (title, run) => {
    const mark = `cancelled ${title}`;
    expect(await endedWhileRunning(mark, () => run(`SELECT pg_sleep(3600) /* ${mark} */`))).toBe('57014');
    // PostgreSQL sends the error before it shows that the statement has ended.
    await eventually(async () => expect(await running(mark)).toBe(0));
    expect(await database.sql('SELECT 1 AS one')).toEqual([{ one: 1 }]);
  });

  it('fail and are not sent after the signal has aborted', async () => {
    const signal = AbortSignal.abort(new ReadEnded('over'));
    const statement = { name: 'test.ended', text: 'SELECT 1' };
    for (const read of [() => database.sql('SELECT 1'), () => database.shared(statement, [])]) {
      expect(await codeOf(endStatementsWith(signal, read))).toBe('57014');
    }
  });

  it('do not affect the reads of others, even if both share one statement', async () => {
    const end = new AbortController();
    const statement = { name: 'test.shared', text: 'SELECT pg_sleep(0.05), 1 AS one' };
    const ended = codeOf(endStatementsWith(end.signal, () => database.shared(statement, [])));
    const other = database.shared<{ one: number }>(statement, []);
    end.abort(new ReadEnded('over'));
    expect(await ended).toBe('57014');
    expect(await other).toMatchObject([{ one: 1 }]);
  });

  it('stop waiting for a connection, and hold none afterwards', async () => {
    // The number of connections that one holder gets.
    const share = database.poolUse.max / 2;
    const free = new AbortController();
    const held = Array.from({ length: share }, () =>
      codeOf(endStatementsWith(free.signal, () => database.sql('SELECT pg_sleep(3600)'))),
    );
    await eventually(() => expect(database.poolUse).toMatchObject({ open: share, idle: 0 }));
    const end = new AbortController();
    const waiting = codeOf(endStatementsWith(end.signal, () => database.sql('SELECT 1')));
    await eventually(() => expect(database.poolUse.waiting).toBe(1));
    end.abort(new ReadEnded('over'));
    expect(await waiting).toBe('57014');
    free.abort(new ReadEnded('over'));
    expect(await Promise.all(held)).toEqual(held.map(() => '57014'));
    await eventually(() => {
      const { open, idle, waiting: left } = database.poolUse;
      expect([open - idle, left]).toEqual([0, 0]);
    });
  });
});
