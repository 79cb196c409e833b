import { AsyncLocalStorage } from 'node:async_hooks';
import { afterAll, beforeAll, expect, it, describe } from '@jest/globals';
import { DatabaseConfig, loadConfig } from '@app/config';
import { newId } from '@app/kernel';
import { createTestContext, eventually, type TestContext } from '@app/testing';
import { Database } from '../database.js';

describe('transactions of one organization', () => {
  let context: TestContext;
  let database: Database;

  beforeAll(async () => {
    context = await createTestContext([]);
    database = context.get(Database);
  });

  afterAll(() => context.close());

  /** Work that holds its connection until `finish` is called. */
  function heldWork(): { work: () => Promise<void>; finish: () => void; readonly started: number } {
    let finish: () => void = () => undefined;
    const end = new Promise<void>((resolve) => (finish = resolve));
    let started = 0;
    const work = async (): Promise<void> => {
      started += 1;
      await end;
    };
    return {
      work,
      finish,
      get started() {
        return started;
      },
    };
  }

  it('hold a quarter of the connections, so that others do not wait for them', async () => {
    const { poolSize } = loadConfig(DatabaseConfig);
    const [hostile, other] = [{ organizationId: newId() }, { organizationId: newId() }];
    const held = heldWork();
    const all = Promise.all(Array.from({ length: 4 * poolSize }, () => database.transactionOf(hostile, held.work)));
    await eventually(() => expect(held.started).toBe(poolSize / 4));
    expect(await database.transactionOf(other, () => database.sql('SELECT 1 AS one'))).toEqual([{ one: 1 }]);
    expect(held.started).toBe(poolSize / 4);
    held.finish();
    await all;
    expect(held.started).toBe(4 * poolSize);
  });

  it('run in the asynchronous context of their caller, even if they had to wait', async () => {
    const scope = { organizationId: newId() };
    const request = new AsyncLocalStorage<number>();
    const { poolSize } = loadConfig(DatabaseConfig);
    const numbers = Array.from({ length: poolSize }, (_, n) => n);
    const seen = numbers.map((n) =>
      request.run(n, () => database.transactionOf(scope, async () => [n, request.getStore()])),
    );
    expect(await Promise.all(seen)).toEqual(numbers.map((n) => [n, n]));
  });

  it('join the current transaction without waiting', async () => {
    const scope = { organizationId: newId() };
    const held = heldWork();
    const { poolSize } = loadConfig(DatabaseConfig);
    const outer = Array.from({ length: poolSize / 4 }, () =>
      database.transactionOf(scope, () => database.transactionOf(scope, held.work)),
    );
    await eventually(() => expect(held.started).toBe(poolSize / 4));
    held.finish();
    await Promise.all(outer);
  });
});
