import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createTestContext, type TestContext } from '@app/testing';
import type { Pool } from 'pg';
import { Database } from './database.js';

describe('a connection to PostgreSQL', () => {
  let context: TestContext;
  let database: Database;

  beforeAll(async () => {
    context = await createTestContext([]);
    database = context.get(Database);
  });

  afterAll(() => context.close());

  it('that is lost in the instant between the pool and its borrower does not end the process', async () => {
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

  it('is replaced after the server ended it', async () => {
    const ended = await database.sql<{ pid: number }>(
      `SELECT pid, pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE datname = current_database() AND pid <> pg_backend_pid()`,
    );
    expect(ended).toEqual(expect.any(Array));
    const asked = Array.from({ length: 50 }, () => database.transaction(() => database.sql('SELECT 1 AS one')));
    const settled = await Promise.allSettled(asked);
    // What was lost says so; once that is known, everything is answered again.
    expect(settled.filter(({ status }) => status === 'fulfilled').length).toBeGreaterThan(0);
    expect(await database.transaction(() => database.sql('SELECT 1 AS one'))).toEqual([{ one: 1 }]);
  });
});
