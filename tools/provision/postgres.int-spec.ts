import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { freePort } from './free-port.js';
import { provisionPostgres, type PostgresServer } from './postgres.js';
import { isAlive } from './process-identity.js';
import { ProvisionError } from './provision-error.js';

jest.setTimeout(60_000);

describe('a provisioned Postgres', () => {
  let folder: string;
  let cluster: string;
  let server: PostgresServer;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'provision-postgres-'));
    cluster = join(folder, 'cluster');
    server = await provisionPostgres({ dataDir: folder, durableInit: false });
  });

  afterAll(async () => {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  /** Stops the server, lets `change` touch its files, and starts it again. */
  async function startAgainAfter(change: () => void | Promise<void>): Promise<void> {
    await server.stop();
    await change();
    server = await provisionPostgres({ dataDir: folder });
  }

  it('has committed rows after a crash, on the same address', async () => {
    const { url } = server;
    await query(server, 'CREATE TABLE kept (value int); INSERT INTO kept VALUES (1)');
    await server.kill9();
    await server.restart();
    expect(server.url).toBe(url);
    expect(await query(server, 'SELECT value FROM kept')).toEqual([{ value: 1 }]);
  });

  it('has its data after a stop and a start on the same folder', async () => {
    await startAgainAfter(() => undefined);
    expect(await query(server, 'SELECT value FROM kept')).toEqual([{ value: 1 }]);
  });

  it('leaves no process behind when it is stopped', async () => {
    const { pid } = server;
    await server.stop();
    expect(isAlive(pid)).toBe(false);
    await server.restart();
  });

  it('keeps fsync on', async () => {
    expect(await query(server, 'SHOW fsync')).toEqual([{ fsync: 'on' }]);
  });

  it('keeps its password to the owner of the folder', () => {
    expect(statSync(join(folder, 'password')).mode & 0o777).toBe(0o600);
    expect(server.url).toContain(readFileSync(join(folder, 'password'), 'utf8').trim());
  });

  it.each([
    ['names a living process of another program', `${process.ppid}\n/elsewhere\n`],
    ['names a process that is gone', '999999999\n/elsewhere\n'],
    ['is empty', ''],
  ])('starts although a postmaster.pid was left that %s', async (_, content) => {
    await startAgainAfter(() => writeFileSync(join(cluster, 'postmaster.pid'), content));
    expect(await query(server, 'SELECT value FROM kept')).toEqual([{ value: 1 }]);
  });

  it('refuses a second server on the same folder while the first runs', async () => {
    const second = provisionPostgres({ dataDir: folder, formerServerTimeoutMs: 0 });
    await expect(second).rejects.toThrow(`Another Postgres (process ${server.pid}) runs on ${cluster}.`);
  });

  it.each([
    ['lacks parts of a cluster', join('global', 'pg_control'), undefined],
    ['does not say which version made it', 'PG_VERSION', ''],
  ])('does not touch a folder that holds data and %s', async (_, part, left) => {
    await startAgainAfter(async () => {
      const content = readFileSync(join(cluster, part));
      if (left === undefined) rmSync(join(cluster, part));
      else writeFileSync(join(cluster, part), left);
      await expect(provisionPostgres({ dataDir: folder })).rejects.toThrow(/holds data, but parts .* are missing/);
      writeFileSync(join(cluster, part), content);
    });
    expect(await query(server, 'SELECT value FROM kept')).toEqual([{ value: 1 }]);
  });

  it('leaves no server behind where the password of its folder is gone', async () => {
    await startAgainAfter(async () => {
      const password = readFileSync(join(folder, 'password'));
      rmSync(join(folder, 'password'));
      await expect(provisionPostgres({ dataDir: folder })).rejects.toThrow(/password file .* is missing/);
      expect(existsSync(join(cluster, 'postmaster.pid'))).toBe(false);
      writeFileSync(join(folder, 'password'), password);
    });
  });
});

describe('provisioning Postgres', () => {
  it('starts over where an earlier making of the folder was cut short', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'provision-postgres-'));
    mkdirSync(join(folder, 'cluster.new', 'base'), { recursive: true });
    mkdirSync(join(folder, 'cluster', 'base', '1'), { recursive: true });
    writeFileSync(join(folder, 'cluster', 'PG_VERSION'), '18\n');
    const server = await provisionPostgres({ dataDir: folder, durableInit: false });
    expect(await query(server, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
    expect(existsSync(join(folder, 'cluster.new'))).toBe(false);
    await server.stop();
    rmSync(folder, { recursive: true });
  });

  it('names a port that is taken', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'provision-postgres-'));
    const port = await freePort();
    const holder = await listen(port);
    const failure = await provisionPostgres({ dataDir: folder, durableInit: false, port }).catch(
      (error: unknown) => error,
    );
    expect(failure).toBeInstanceOf(ProvisionError);
    expect((failure as Error).message).toBe(`Port ${port} for Postgres is taken.`);
    holder.close();
    rmSync(folder, { recursive: true });
  });
});

async function query(server: PostgresServer, sql: string): Promise<unknown[]> {
  const client = new Client({ connectionString: server.url });
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

function listen(port: number): Promise<Server> {
  return new Promise((resolve) => {
    const server = createServer().listen(port, '127.0.0.1', () => resolve(server));
  });
}
