import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createTestContext, statementsOf, type TestContext } from '@app/testing';
import { Database } from './database.js';

describe('a transaction', () => {
  let context: TestContext;
  let database: Database;

  beforeAll(async () => {
    context = await createTestContext([]);
    database = context.get(Database);
  });

  afterAll(() => context.close());

  it('that loses its connection throws the connection error, not the error of the rollback', async () => {
    const lost = database.transaction(() => database.sql('SELECT pg_terminate_backend(pg_backend_pid())'));
    await expect(lost).rejects.toMatchObject({ code: '57P01' });
  });

  it('has a statement timeout, except for maintenance', async () => {
    const timeout = async (): Promise<unknown> => (await database.sql('SHOW statement_timeout'))[0];
    expect(await timeout()).toEqual({ statement_timeout: '15s' });
    expect(await database.transaction(timeout)).toEqual({ statement_timeout: '15s' });
    expect(await database.withoutStatementTimeout(timeout)).toEqual({ statement_timeout: '0' });
    expect(await database.transaction(timeout)).toEqual({ statement_timeout: '15s' });
  });

  it('throws the error of its work, even if the connection was lost before', async () => {
    const failing = database.transaction(async () => {
      await database.sql('SELECT pg_terminate_backend(pg_backend_pid())').catch(() => undefined);
      throw new Error('error of the work');
    });
    await expect(failing).rejects.toThrow('error of the work');
    expect(await database.transaction(() => database.sql('SELECT 1 AS one'))).toEqual([{ one: 1 }]);
  });
});

describe('shared reads', () => {
  const VALUE = { name: 'test.shared_value', text: 'SELECT value FROM shared_values WHERE id = $1' };
  let context: TestContext;
  let database: Database;

  beforeAll(async () => {
    context = await createTestContext([]);
    database = context.get(Database);
    await database.sql('CREATE TABLE shared_values (id integer PRIMARY KEY, value integer NOT NULL)');
    await database.sql('INSERT INTO shared_values VALUES (1, 10), (2, 20)');
  });

  afterAll(() => context.close());

  const read = async (id: number): Promise<number | undefined> =>
    (await database.shared<{ value: number }>(VALUE, [id]))[0]?.value;

  it('send one statement for concurrent calls with the same values', async () => {
    const values: unknown[] = [];
    const statements = await statementsOf(async () => {
      values.push(...(await Promise.all([read(1), read(2), read(1), read(1)])));
    });
    expect(values).toEqual([10, 20, 10, 10]);
    expect(statements).toEqual([VALUE.name, VALUE.name]);
    expect(await statementsOf(() => read(1))).toHaveLength(1);
  });

  it('see every write that was committed before the call, even if an earlier call is still running', async () => {
    const update = 'UPDATE shared_values SET value = value + 1 WHERE id = 1';
    for (let value = 11; value < 60; value += 1) {
      const [, , updated] = await Promise.all([read(1), read(1), database.sql(update).then(() => read(1))]);
      expect(updated).toBe(value);
    }
  });

  it('are not shared with a transaction, which sees its own writes', async () => {
    const inside = database.transaction(async () => {
      await database.sql('UPDATE shared_values SET value = -1 WHERE id = 2');
      return read(2);
    });
    expect(await Promise.all([read(2), inside, read(2)])).toEqual([20, -1, 20]);
  });

  it('of one turn of the event loop use as few connections as possible', async () => {
    const PID = { name: 'test.backend', text: 'SELECT pg_backend_pid() AS pid, $1::integer AS n' };
    const reads = Array.from({ length: 20 }, (_read, n) => database.shared<{ pid: number; n: number }>(PID, [n]));
    const rows = (await Promise.all(reads)).flat();
    expect(rows.map(({ n }) => n)).toEqual(Array.from({ length: 20 }, (_row, n) => n));
    const [first, second] = [new Set(rows.slice(0, 16)), new Set(rows.slice(16))];
    for (const part of [first, second]) expect(new Set([...part].map(({ pid }) => pid)).size).toBe(1);
  });

  it('do not fail if another one of the same turn fails', async () => {
    const failing = { name: 'test.shared_neighbour', text: 'SELECT 1 / $1::integer AS one' };
    const outcomes = await Promise.allSettled([read(2), database.shared(failing, [0]), read(2), read(1)]);
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'fulfilled']);
    expect(await read(2)).toBe(-1);
  });

  it('fail if their connection is lost, and later ones use another connection', async () => {
    const ending = { name: 'test.shared_end', text: 'SELECT pg_terminate_backend(pg_backend_pid()), $1::integer AS n' };
    const outcomes = await Promise.allSettled([database.shared(ending, [1]), read(2)]);
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(await read(2)).toBe(-1);
  });

  it('reject all calls that share a failing statement, and no later ones', async () => {
    const failing = { name: 'test.shared_failure', text: 'SELECT 1 / $1::integer AS one' };
    const outcomes = await Promise.allSettled([database.shared(failing, [0]), database.shared(failing, [0])]);
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(await database.shared(failing, [1])).toEqual([{ one: 1 }]);
  });
});
