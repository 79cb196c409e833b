import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createTestContext, type TestContext } from '@app/testing';
import type { Pool } from 'pg';
import { Database } from '../database.js';
import { ResilientClient } from './resilient-client.js';

describe('a connection to PostgreSQL', () => {
  let context: TestContext;
  let database: Database;

  beforeAll(async () => {
    context = await createTestContext([]);
    database = context.get(Database);
  });

  afterAll(() => context.close());

  it('does not end the process if it is lost while the pool lends it', async () => {
    const { master: pool } = database.dataSource.driver as unknown as { master: Pool };
    const lost = new Error('terminating connection');
    const listeners = await new Promise((resolve) => {
      pool.connect((_, client, release) => {
        resolve(client?.listenerCount('error'));
        release(lost);
      });
    });
    expect(listeners).toBeGreaterThan(0);
  });

  it('is replaced after the server terminated it', async () => {
    const terminated = await database.sql<{ pid: number }>(
      `SELECT pid, pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE datname = current_database() AND pid <> pg_backend_pid()`,
    );
    expect(terminated).toEqual(expect.any(Array));
    const queries = Array.from({ length: 50 }, () => database.transaction(() => database.sql('SELECT 1 AS one')));
    const settled = await Promise.allSettled(queries);
    // Queries on lost connections fail. When these connections have been replaced, all queries succeed.
    expect(settled.filter(({ status }) => status === 'fulfilled').length).toBeGreaterThan(0);
    expect(await database.transaction(() => database.sql('SELECT 1 AS one'))).toEqual([{ one: 1 }]);
  });

  it('is replaced after the server refused a write, also in a transaction', async () => {
    const [session] = await database.sql<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    await database.sql('SET default_transaction_read_only = on');
    const write = (): Promise<object[]> =>
      database.transaction(() => database.sql('CREATE TEMPORARY TABLE written ON COMMIT DROP AS SELECT 1'));
    const locked = (): Promise<object[]> =>
      database.transaction(() => database.sql('SELECT 1 AS one FROM outbox FOR UPDATE'));
    await expect(locked()).rejects.toMatchObject({ code: '25006' });
    expect(await write()).toEqual([]);
    const sessions = await database.sql<{ pid: number }>(
      'SELECT pid FROM pg_stat_activity WHERE datname = current_database()',
    );
    expect(sessions.map(({ pid }) => pid)).not.toContain(session?.pid);
  });

  it('is replaced after a check found that its server accepts no writes', async () => {
    await database.sql('SET default_transaction_read_only = on');
    await expect(database.checkWrites()).rejects.toThrow('The database is read-only');
    await expect(database.checkWrites()).resolves.toBeUndefined();
  });

  it('is not used again after a request to cancel its statement, which may arrive late', async () => {
    const client = new ResilientClient({
      connectionString: context.databaseUrl,
      responseTimeoutMs: 20_000,
      cancelAfterMs: 100,
    });
    await client.connect();
    expect(client.isOutdated).toBe(false);
    await expect(client.query('SELECT pg_sleep(10)')).rejects.toMatchObject({ code: '57014' });
    expect(client.isOutdated).toBe(true);
    await client.end();
  });
});
