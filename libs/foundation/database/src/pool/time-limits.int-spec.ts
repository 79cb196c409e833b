import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createTestContext, eventually, type TestContext } from '@app/testing';
import { Test, type TestingModule } from '@nestjs/testing';
import type { Pool } from 'pg';
import { DatabaseModule } from '../database.module.js';
import { Database } from '../database.js';

const LIMITS = {
  DATABASE_STATEMENT_TIMEOUT_MS: '1200',
  DATABASE_RESPONSE_GRACE_MS: '300',
  DATABASE_IDLE_TRANSACTION_TIMEOUT_MS: '700',
  DATABASE_KEEPALIVE_SECONDS: '7',
};

/** Forwards connections to PostgreSQL. While it is frozen, bytes of the server do not arrive, as with a hung server. */
class FreezableProxy {
  private readonly server: Server;
  private readonly upstreams = new Set<Socket>();
  private readonly sockets = new Set<Socket>();

  private constructor(target: URL) {
    this.server = createServer((client) => {
      const upstream = connect(Number(target.port), target.hostname);
      for (const socket of [client, upstream]) {
        this.sockets.add(socket);
        socket.on('error', () => undefined);
        socket.on('close', () => this.sockets.delete(socket));
      }
      this.upstreams.add(upstream);
      client.on('close', () => (this.upstreams.delete(upstream), upstream.destroy()));
      upstream.on('close', () => client.destroy());
      client.pipe(upstream);
      upstream.pipe(client);
    });
  }

  static async to(url: string): Promise<FreezableProxy> {
    const proxy = new FreezableProxy(new URL(url));
    await once(proxy.server.listen(0, '127.0.0.1'), 'listening');
    return proxy;
  }

  urlFor(url: string): string {
    const through = new URL(url);
    through.host = `127.0.0.1:${(this.server.address() as AddressInfo).port}`;
    return through.toString();
  }

  /** Affects only the connections that are open now. */
  freeze(): void {
    for (const upstream of this.upstreams) upstream.unpipe();
  }

  async close(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    this.server.close();
    await once(this.server, 'close');
  }
}

describe('a connection to PostgreSQL', () => {
  let context: TestContext;
  let proxy: FreezableProxy;
  let app: TestingModule;
  let database: Database;
  const env = { ...process.env };

  beforeAll(async () => {
    context = await createTestContext([]);
    proxy = await FreezableProxy.to(context.databaseUrl);
    Object.assign(process.env, { ...LIMITS, DATABASE_URL: proxy.urlFor(context.databaseUrl) });
    app = await Test.createTestingModule({ imports: [DatabaseModule] }).compile();
    database = app.get(Database);
    await database.sql('CREATE TABLE held (id integer PRIMARY KEY)');
    await database.sql('INSERT INTO held VALUES (1)');
  });

  afterAll(async () => {
    process.env = env;
    await app.close();
    await proxy.close();
    await context.close();
  });

  const pool = (): Pool => (database.dataSource.driver as unknown as { master: Pool }).master;

  it('without a response is closed, and another one takes its place', async () => {
    await database.ping();
    proxy.freeze();
    await expect(database.sql('SELECT 1 AS one')).rejects.toMatchObject({ code: 'ETIMEDOUT' });
    expect(await eventually(() => database.sql('SELECT 1 AS one'))).toEqual([{ one: 1 }]);
  });

  it('without a response fails its transaction and is not used again', async () => {
    const frozen = database.transaction(async () => {
      proxy.freeze();
      await database.sql('SELECT 1 AS one');
    });
    await expect(frozen).rejects.toMatchObject({ code: 'ETIMEDOUT' });
    expect(pool().totalCount - pool().idleCount).toBe(0);
    expect(await eventually(() => database.transaction(() => database.sql('SELECT 1 AS one')))).toEqual([{ one: 1 }]);
  });

  it('may receive nothing while it is idle or runs a maintenance statement', async () => {
    await database.ping();
    const idle = pool().idleCount;
    // Longer than both limits together.
    await database.withoutStatementTimeout(() => database.sql('SELECT pg_sleep(1.6)'));
    expect(idle).toBeGreaterThan(0);
    expect(pool().idleCount).toBe(idle);
  });

  it('loses its transaction and locks when its process sends nothing further', async () => {
    let release: () => void = () => undefined;
    const silence = new Promise<void>((resolve) => (release = resolve));
    let acquire: () => void = () => undefined;
    const acquired = new Promise<void>((resolve) => (acquire = resolve));
    const lock = 'SELECT id FROM held WHERE id = 1 FOR UPDATE';
    const silent = database.transaction(async () => {
      await database.sql(lock);
      acquire();
      await silence;
      await database.sql('SELECT 1 AS one');
    });
    const settled = Promise.allSettled([silent]);
    await acquired;
    // Fails with 55P03 while the silent transaction holds it.
    await eventually(() => context.database.transaction(() => context.database.sql(`${lock} NOWAIT`)));
    release();
    expect(await settled).toMatchObject([{ status: 'rejected', reason: { code: '25P03' } }]);
  });

  it('has keepalives at both ends', async () => {
    const setting = async (name: string): Promise<unknown> =>
      (await database.sql<Record<string, unknown>>(`SHOW ${name}`))[0]?.[name];
    expect(await setting('tcp_keepalives_idle')).toBe('7');
    expect(await setting('tcp_keepalives_interval')).toBe('5');
    expect(await setting('tcp_keepalives_count')).toBe('3');
    expect(await setting('tcp_user_timeout')).toBe('22000');
    expect(pool().options).toMatchObject({ keepAlive: true, keepAliveInitialDelayMillis: 7000 });
  });
});
