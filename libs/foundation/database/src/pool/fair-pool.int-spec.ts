import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DatabaseConfig, loadConfig } from '@app/config';
import { newId } from '@app/kernel';
import { noteOrganization, runInContext, traceContextFrom } from '@app/observability';
import { createTestContext, eventually, type TestContext } from '@app/testing';
import { Client } from 'pg';
import { Database } from '../database.js';

const READ = { name: 'fair_pool_read', text: 'SELECT $1::text AS sent FROM read_by_one LIMIT 1' };

describe('the connections of a process', () => {
  let context: TestContext;
  let database: Database;
  let blocker: Client;
  let poolSize: number;

  beforeAll(async () => {
    context = await createTestContext([]);
    database = context.get(Database);
    ({ poolSize } = loadConfig(DatabaseConfig));
    await database.sql('CREATE TABLE read_by_one (id integer)');
    await database.sql('INSERT INTO read_by_one VALUES (1)');
    blocker = new Client({ connectionString: context.databaseUrl });
    await blocker.connect();
  });

  afterAll(async () => {
    await blocker.end();
    await context.close();
  });

  /** Runs `work` in the context of a request of the organization. */
  function as<T>(organizationId: string, work: () => Promise<T>): Promise<T> {
    return runInContext({ requestId: randomUUID(), ...traceContextFrom(null) }, () => {
      noteOrganization(organizationId);
      return work();
    });
  }

  const lockTable = async (): Promise<void> => {
    await blocker.query('BEGIN');
    await blocker.query('LOCK TABLE read_by_one IN ACCESS EXCLUSIVE MODE');
  };

  /** Returns how many statements of the pool wait for the lock of the table. */
  async function blocked(): Promise<number> {
    // Within a transaction, PostgreSQL caches the view.
    await blocker.query('SELECT pg_stat_clear_snapshot()');
    const { rows } = await blocker.query<{ count: number }>(
      `SELECT count(*)::int AS count FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`,
    );
    return rows[0]?.count ?? 0;
  }

  const reads: readonly (readonly [string, (n: number) => Promise<unknown>])[] = [
    ['statements', () => database.sql('SELECT id FROM read_by_one')],
    ['transactions', () => database.transaction(() => database.sql('SELECT id FROM read_by_one'))],
    ['look-ups', (n) => database.shared(READ, [`${n}`])],
  ];

  it.each(reads)('serve an organization while %s of another one are blocked', async (_kind, read) => {
    const [hostile, other] = [newId(), newId()];
    await lockTable();
    const all: Promise<unknown>[] = [];
    for (let n = 0; n < 60; n += 1) {
      all.push(as(hostile, () => read(n)));
      // Starts each in its own turn of the event loop: look-ups of the same turn would share a connection.
      await new Promise((resolve) => setImmediate(resolve));
    }
    await eventually(async () => expect(await blocked()).toBeGreaterThan(1));
    for (let n = 0; n < 20; n += 1) {
      expect(await as(other, () => database.sql('SELECT 1 AS one'))).toEqual([{ one: 1 }]);
      expect(await as(other, () => database.transaction(() => database.sql('SELECT 1 AS one')))).toHaveLength(1);
      expect(await database.sql('SELECT 1 AS one')).toEqual([{ one: 1 }]);
    }
    expect(await blocked()).toBeLessThanOrEqual(poolSize / 2);
    await blocker.query('ROLLBACK');
    expect(await Promise.all(all)).toHaveLength(60);
    await eventually(() => expect(database.poolUse).toMatchObject({ waiting: 0 }));
  });

  it('are lent to organizations in turn', async () => {
    const organizations = Array.from({ length: 8 }, () => newId());
    await lockTable();
    const all = Promise.all(
      organizations.flatMap((id) =>
        Array.from({ length: 20 }, () => as(id, () => database.sql('SELECT id FROM read_by_one'))),
      ),
    );
    await eventually(async () => expect(await blocked()).toBe(poolSize));
    const last = as(newId(), () => database.sql('SELECT 1 AS one'));
    await blocker.query('ROLLBACK');
    expect(await last).toEqual([{ one: 1 }]);
    expect(database.poolUse.waiting).toBeGreaterThan(0);
    await all;
  });

  it('can be used up by five organizations together; the first connection that becomes free serves a sixth organization', async () => {
    await lockTable();
    const hostile: Promise<unknown>[] = [];
    const held: number[] = [];
    // Each organization gets half of the connections that are free: of 16, these are 8, 4, 2, 1 and the last one.
    for (let organization = 0; organization < 5; organization += 1) {
      const id = newId();
      const before = await blocked();
      for (let n = 0; n < 2 * poolSize; n += 1) hostile.push(as(id, () => database.sql('SELECT id FROM read_by_one')));
      const share = Math.max(1, Math.ceil((poolSize - before) / 2));
      await eventually(async () => expect(await blocked()).toBe(before + share));
      held.push(share);
    }
    const settled = Promise.allSettled(hostile);
    expect(held.reduce((sum, share) => sum + share)).toBe(poolSize);
    let isServed = false;
    const sixth = as(newId(), () => database.sql('SELECT 1 AS one')).then((rows) => {
      isServed = true;
      return rows;
    });
    await expect(
      Promise.race([sixth, eventually(() => expect(database.poolUse.waiting).toBe(9 * poolSize + 1))]),
    ).resolves.toBeUndefined();
    expect(isServed).toBe(false);
    await blocker.query(`SELECT pg_cancel_backend(pid) FROM pg_stat_activity
      WHERE wait_event_type = 'Lock' AND datname = current_database() ORDER BY query_start LIMIT 1`);
    expect(await sixth).toEqual([{ one: 1 }]);
    await blocker.query('ROLLBACK');
    await settled;
  });

  it('reject work that waits too long for the share of its organization, and no other work', async () => {
    const [hostile, other] = [newId(), newId()];
    await lockTable();
    const some = Array.from({ length: poolSize }, () => as(hostile, () => database.sql('SELECT id FROM read_by_one')));
    const settled = Promise.allSettled(some);
    const refusals: unknown[] = [];
    for (const read of some) void read.catch((error: unknown) => refusals.push(error));
    // They began to wait one after the other, so that they are not refused at once.
    await eventually(() => expect(refusals).toHaveLength(poolSize / 2));
    expect(refusals.map(String)).toEqual(
      Array.from({ length: poolSize / 2 }, () => 'Error: timeout exceeded when trying to connect'),
    );
    expect(await as(other, () => database.sql('SELECT 1 AS one'))).toHaveLength(1);
    await blocker.query('ROLLBACK');
    const ends = (await settled).map(({ status }) => status);
    expect(ends.filter((status) => status === 'fulfilled')).toHaveLength(poolSize / 2);
    expect(await as(hostile, () => database.sql('SELECT 1 AS one'))).toHaveLength(1);
  });
});
