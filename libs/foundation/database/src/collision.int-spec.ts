import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createTestContext, type TestContext } from '@app/testing';
import { Database } from './database.js';

describe('a write that collides with another', () => {
  let context: TestContext;
  let database: Database;
  let attempts: number;

  beforeAll(async () => {
    context = await createTestContext([]);
    database = context.get(Database);
    await database.sql('CREATE TABLE counters (id integer PRIMARY KEY, value integer NOT NULL)');
    await database.sql('INSERT INTO counters VALUES (1, 0), (2, 0)');
  });

  beforeEach(() => {
    attempts = 0;
  });

  afterAll(() => context.close());

  const increment = (id: number): Promise<unknown[]> =>
    database.sql('UPDATE counters SET value = value + 1 WHERE id = $1', [id]);

  async function collide(code: string): Promise<void> {
    attempts += 1;
    await database.sql(`DO $$ BEGIN RAISE EXCEPTION 'collision' USING ERRCODE = '${code}'; END $$`);
  }

  it('runs again after a deadlock, and both transactions commit once', async () => {
    let locked = 0;
    let bothLocked: () => void = () => undefined;
    const both = new Promise<void>((resolve) => (bothLocked = resolve));
    const transfer = (from: number, to: number): Promise<void> =>
      database.transaction(async () => {
        attempts += 1;
        await increment(from);
        locked += 1;
        if (locked === 2) bothLocked();
        await both;
        await increment(to);
      });
    await Promise.all([transfer(1, 2), transfer(2, 1)]);
    expect(attempts).toBe(3);
    expect(await database.sql('SELECT value FROM counters ORDER BY id')).toEqual([{ value: 2 }, { value: 2 }]);
  });

  it.each(['40P01', '40001'])('runs twice at most (%s)', async (code) => {
    await expect(database.transaction(() => collide(code))).rejects.toMatchObject({ code });
    expect(attempts).toBe(2);
  });

  it('repeats the outermost transaction only, and runs the hooks of the attempt that committed', async () => {
    const hooks: number[] = [];
    await database.transaction(async () => {
      const attempt = (attempts += 1);
      database.afterCommit(() => void hooks.push(attempt));
      if (attempt === 1) await database.transaction(() => collide('40P01'));
    });
    // `collide` counts as well: the first attempt, the collision, the second attempt.
    expect([attempts, hooks]).toEqual([3, [3]]);
  });

  it('does not run again after another error', async () => {
    await expect(database.transaction(() => collide('23505'))).rejects.toMatchObject({ code: '23505' });
    expect(attempts).toBe(1);
  });
});
