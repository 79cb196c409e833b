import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Database, DatabaseModule } from '@app/database';
import { createTestDatabase, eventually, type TestDatabase } from '@app/testing';
import { Test, type TestingModule } from '@nestjs/testing';
import type { Program } from '../../tools/provision/programs.js';
import { pgbouncer, startPgBouncer, type PgBouncer } from '../support/pgbouncer.js';

const SLEEP = 'SELECT pg_sleep(30)';
const NUMBERED = { name: 'numbered', text: 'SELECT $1::integer AS number' };

(pgbouncer === undefined ? describe.skip : describe)('a database behind PgBouncer in transaction mode', () => {
  let own: TestDatabase;
  let pooler: PgBouncer;
  const apps: TestingModule[] = [];
  const env = { ...process.env };

  beforeAll(async () => {
    own = await createTestDatabase();
    pooler = await startPgBouncer(pgbouncer as Program, own.url, 2);
  });

  afterAll(async () => {
    process.env = env;
    await Promise.all(apps.map((app) => app.close()));
    await pooler.stop();
    await own.drop();
  });

  async function open(settings: Readonly<Record<string, string>>): Promise<Database> {
    process.env = { ...env, DATABASE_URL: pooler.url, MIGRATE_ON_START: 'false', ...settings };
    const app = await Test.createTestingModule({ imports: [DatabaseModule] }).compile();
    apps.push(app);
    return app.get(Database);
  }

  it('limits the time of statements and of idle transactions', async () => {
    const database = await open({
      DATABASE_STATEMENT_TIMEOUT_MS: '500',
      DATABASE_IDLE_TRANSACTION_TIMEOUT_MS: '300',
    });
    // A connection that was closed, rather than cancelled, would have another code.
    await expect(database.sql(SLEEP)).rejects.toMatchObject({ code: '57014' });
    await expect(database.transaction(() => database.sql(SLEEP))).rejects.toMatchObject({ code: '57014' });
    const server = await database.transaction(() =>
      database.sql<{ limit: string }>(`SELECT current_setting('statement_timeout') AS limit`),
    );
    expect(server).toEqual([{ limit: '500ms' }]);

    let isEnded = (): boolean => false;
    const idle = database.transaction(async () => {
      await database.sql('SELECT 1');
      await eventually(() => expect(isEnded()).toBe(true));
    });
    const other = await open({});
    const transactions = `SELECT 1 FROM pg_stat_activity WHERE state LIKE 'idle in transaction%' AND
      datname = current_database()`;
    await eventually(async () => expect(await other.sql(transactions)).toEqual([]));
    isEnded = () => true;
    await expect(idle).rejects.toBeInstanceOf(Error);
  });

  it('keeps none of its limits in the shared connections', async () => {
    const database = await open({ DATABASE_STATEMENT_TIMEOUT_MS: '2000' });
    await database.transaction(() => database.sql('SELECT 1'));
    const limits = await Promise.all(
      Array.from({ length: 8 }, () =>
        database.sql<{ limit: string }>(`SELECT current_setting('statement_timeout') AS limit`),
      ),
    );
    expect(new Set(limits.map(([row]) => row?.limit))).toEqual(new Set(['0']));
    const maintenance = await database.withoutStatementTimeout(() =>
      database.sql<{ limit: string }>(`SELECT current_setting('statement_timeout') AS limit`),
    );
    expect(maintenance).toEqual([{ limit: '0' }]);
  });

  it('runs hot statements on any connection, alone, together and in transactions', async () => {
    const database = await open({});
    const numbers = Array.from({ length: 60 }, (_none, number) => number);
    const results = await Promise.all(
      numbers.map((number) => {
        if (number % 3 === 0) return database.shared(NUMBERED, [number]);
        const run = (): Promise<object[]> => database.prepared(NUMBERED, [number]);
        return number % 3 === 1 ? run() : database.transaction(run);
      }),
    );
    expect(results).toEqual(numbers.map((number) => [{ number }]));
    const prepared = await database.sql('SELECT 1 FROM pg_prepared_statements');
    expect(prepared).toEqual([]);
  });

  it('reads one snapshot', async () => {
    const database = await open({});
    const isolation = await database.snapshot(() =>
      database.sql<{ level: string }>(`SELECT current_setting('transaction_isolation') AS level`),
    );
    expect(isolation).toEqual([{ level: 'repeatable read' }]);
  });

  it('refuses to migrate without a direct URL, and names the setting', async () => {
    const error: unknown = await open({ MIGRATE_ON_START: 'true' }).catch((failure: unknown) => failure);
    expect(String(error)).toMatch(/DATABASE_URL leads to a pooler.* Set DATABASE_DIRECT_URL/);
    await expect(open({ MIGRATE_ON_START: 'true', DATABASE_DIRECT_URL: own.url })).resolves.toBeInstanceOf(Database);
  });

  it('names a parameter of the URL that the pooler rejects', async () => {
    const url = `${pooler.url}?options=-c%20work_mem%3D8MB`;
    await expect(open({ DATABASE_URL: url })).rejects.toThrow(
      /DATABASE_URL: the pooler at .* rejects the parameter options/,
    );
  });
});
