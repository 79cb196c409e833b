import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createTestContext, type TestContext } from '@app/testing';
import { Database } from './database.js';

describe('a transaction', () => {
  let context: TestContext;
  let database: Database;

  beforeAll(async () => {
    context = await createTestContext([]);
    database = context.get(Database);
  });

  afterAll(() => context.close());

  it('that loses its connection fails with that, not with the roll-back that is impossible then', async () => {
    const lost = database.transaction(() => database.sql('SELECT pg_terminate_backend(pg_backend_pid())'));
    await expect(lost).rejects.toMatchObject({ code: '57P01' });
  });

  it('has statements that take no longer than each may, but for upkeep', async () => {
    const limit = async (): Promise<unknown> => (await database.sql('SHOW statement_timeout'))[0];
    expect(await limit()).toEqual({ statement_timeout: '15s' });
    expect(await database.transaction(limit)).toEqual({ statement_timeout: '15s' });
    expect(await database.unhurried(limit)).toEqual({ statement_timeout: '0' });
    expect(await database.transaction(limit)).toEqual({ statement_timeout: '15s' });
  });

  it('fails with what its work failed with, also when the connection was lost before', async () => {
    const failing = database.transaction(async () => {
      await database.sql('SELECT pg_terminate_backend(pg_backend_pid())').catch(() => undefined);
      throw new Error('what really happened');
    });
    await expect(failing).rejects.toThrow('what really happened');
    expect(await database.transaction(() => database.sql('SELECT 1 AS one'))).toEqual([{ one: 1 }]);
  });
});
