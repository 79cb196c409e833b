import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createTestContext, eventually, type TestContext } from '@app/testing';
import { Database } from './database.js';
import { AttemptCollision } from './savepoint.js';

describe('an attempt', () => {
  let context: TestContext;
  let database: Database;

  beforeAll(async () => {
    context = await createTestContext([]);
    database = context.get(Database);
    await database.sql('CREATE TABLE attempts (id integer PRIMARY KEY)');
  });

  beforeEach(() => database.sql('DELETE FROM attempts'));

  afterAll(() => context.close());

  const add = (id: number): Promise<unknown> => database.sql('INSERT INTO attempts VALUES ($1)', [id]);
  const collide = (): Promise<unknown> =>
    database.sql("DO $$ BEGIN RAISE EXCEPTION 'collision' USING ERRCODE = '40P01'; END $$");
  const ids = async (): Promise<number[]> =>
    (await database.sql<{ id: number }>('SELECT id FROM attempts ORDER BY id')).map(({ id }) => id);

  it('that fails in a transaction undoes only its own writes and hooks', async () => {
    const hooks: string[] = [];
    await database.transaction(async () => {
      await add(1);
      database.afterCommit(() => void hooks.push('before'));
      const failing = database.attempt(async () => {
        await add(2);
        database.afterCommit(() => void hooks.push('undone'));
        await add(1);
      });
      await expect(failing).rejects.toMatchObject({ code: '23505' });
      await database.attempt(() => add(3));
      await database.committed(async () => void hooks.push('after'));
      expect(hooks).toEqual([]);
    });
    expect(await ids()).toEqual([1, 3]);
    await eventually(() => expect(hooks).toEqual(['before', 'after']));
  });

  it('that collides in a transaction makes the whole transaction run again', async () => {
    let runs = 0;
    await database.transaction(async () => {
      runs += 1;
      await database.attempt(() => add(10 * runs));
      const colliding = database.attempt(() => (runs === 1 ? collide() : add(10 * runs + 1)));
      await colliding.catch((error: unknown) => {
        if (error instanceof AttemptCollision) throw error;
      });
    });
    expect([runs, await ids()]).toEqual([2, [20, 21]]);
  });

  it('that collides outside a transaction throws the error of the database', async () => {
    const failing = database.attempt(collide);
    await expect(failing).rejects.toMatchObject({ code: '40P01' });
    await expect(failing).rejects.not.toBeInstanceOf(AttemptCollision);
  });

  it('commits its statements outside a transaction, and its hooks run at once', async () => {
    const hooks: string[] = [];
    const failing = database.attempt(async () => {
      await add(1);
      await database.committed(async () => void hooks.push('at once'));
      await add(1);
    });
    await expect(failing).rejects.toMatchObject({ code: '23505' });
    expect([await ids(), hooks]).toEqual([[1], ['at once']]);
  });
});
