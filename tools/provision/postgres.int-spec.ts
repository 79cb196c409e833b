import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { freePort } from './free-port.js';
import { provisionPostgres, type PostgresServer } from './postgres.js';
import { isAlive } from './process-identity.js';
import { ProvisionError } from './provision-error.js';

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

  /** Stops the server, runs `change` on its files, and starts a new server on the same folder. */
  async function startAgainAfter(change: () => void | Promise<void>): Promise<void> {
    await server.stop();
    await change();
    server = await provisionPostgres({ dataDir: folder });
  }

  it('keeps committed rows and its address after a crash', async () => {
    const { url } = server;
    await query(server, 'CREATE TABLE kept (value int); INSERT INTO kept VALUES (1)');
    await server.kill('SIGKILL');
    await server.restart();
    expect(server.url).toBe(url);
    expect(await query(server, 'SELECT value FROM kept')).toEqual([{ value: 1 }]);
  });

  it('keeps its data when it is stopped and started again on the same folder', async () => {
    await startAgainAfter(() => undefined);
    expect(await query(server, 'SELECT value FROM kept')).toEqual([{ value: 1 }]);
  });

  it('leaves no process when it is stopped', async () => {
    const { pid } = server;
    await server.stop();
    expect(isAlive(pid)).toBe(false);
    await server.restart();
  });

  it('runs with fsync enabled', async () => {
    expect(await query(server, 'SHOW fsync')).toEqual([{ fsync: 'on' }]);
  });

  it('stores its password in a file that only the owner can read', () => {
    expect(statSync(join(folder, 'password')).mode & 0o777).toBe(0o600);
    expect(server.url).toContain(readFileSync(join(folder, 'password'), 'utf8').trim());
  });

  it.each([
    ['names a running process of another program', `${process.ppid}\n/elsewhere\n`],
    ['names a process that has ended', '999999999\n/elsewhere\n'],
    ['is empty', ''],
  ])('starts although a leftover postmaster.pid %s', async (_, content) => {
    await startAgainAfter(() => writeFileSync(join(cluster, 'postmaster.pid'), content));
    expect(await query(server, 'SELECT value FROM kept')).toEqual([{ value: 1 }]);
  });

  it('rejects a second server on the same folder while the first runs', async () => {
    const second = provisionPostgres({ dataDir: folder, formerServerTimeoutMs: 0 });
    await expect(second).rejects.toThrow(`Another Postgres (process ${server.pid}) is running on ${cluster}.`);
  });

  it.each([
    ['lacks files of a cluster', join('global', 'pg_control'), undefined],
    ['names no version', 'PG_VERSION', ''],
  ])('does not touch a folder that holds data and %s', async (_, file, replacement) => {
    await startAgainAfter(async () => {
      const content = readFileSync(join(cluster, file));
      if (replacement === undefined) rmSync(join(cluster, file));
      else writeFileSync(join(cluster, file), replacement);
      await expect(provisionPostgres({ dataDir: folder })).rejects.toThrow(/holds data, but files .* are missing/);
      writeFileSync(join(cluster, file), content);
    });
    expect(await query(server, 'SELECT value FROM kept')).toEqual([{ value: 1 }]);
  });

  it('leaves no server running when the password file of its folder is missing', async () => {
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
  it('creates the cluster again when an earlier initdb was interrupted', async () => {
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

  it('names the port that is already in use', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'provision-postgres-'));
    const port = await freePort();
    const otherServer = await listen(port);
    const failure = await provisionPostgres({ dataDir: folder, durableInit: false, port }).catch(
      (error: unknown) => error,
    );
    expect(failure).toBeInstanceOf(ProvisionError);
    expect((failure as Error).message).toBe(`Port ${port} for Postgres is already in use.`);
    otherServer.close();
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
