import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { eventually } from '@app/testing';
import pg from 'pg';
import { freePort } from '../../tools/provision/free-port.js';
import { clusterFiles } from '../../tools/provision/postgres-cluster.js';
import { provisionPostgres, type PostgresServer } from '../../tools/provision/postgres.js';
import { recordKill } from './chaos.js';

const STANDBY = 'standby';
/** More log than is written while a standby is copied. */
const SETTINGS = { wal_keep_size: '1GB' };

/** A primary whose commits wait until a streaming standby has them on its disk. */
export class ReplicatedPostgres {
  private copies = 0;

  private constructor(
    private readonly folder: string,
    private current: PostgresServer,
    /** While there is no standby: the server that was the primary. */
    private other: PostgresServer,
  ) {}

  static async start(): Promise<ReplicatedPostgres> {
    const folder = mkdtempSync(join(tmpdir(), 'replicated-'));
    const primary = await provisionPostgres({
      dataDir: join(folder, 'primary'),
      durableInit: false,
      settings: SETTINGS,
    });
    const servers = new ReplicatedPostgres(folder, primary, primary);
    await servers.startStandby(await freePort());
    return servers;
  }

  get primary(): PostgresServer {
    return this.current;
  }

  get standby(): PostgresServer {
    return this.other;
  }

  /** The URL that lists both servers, in this order. */
  urlFrom(first: PostgresServer): string {
    const second = first === this.primary ? this.standby : this.primary;
    return first.url.replace(/(:\d+)\//, `$1,127.0.0.1:${second.port}/`);
  }

  async waitUntilSynchronous(): Promise<void> {
    await eventually(async () => {
      const [row] = await queryOn(this.primary, `SELECT sync_state FROM pg_stat_replication`);
      if (row?.['sync_state'] !== 'sync') throw new Error('The standby is not synchronous yet');
    });
  }

  async killPrimary(): Promise<void> {
    recordKill();
    await this.primary.kill('SIGKILL');
  }

  /** Makes the standby the primary, which then has no standby. Resolves when it accepts writes. */
  async promote(): Promise<void> {
    await queryOn(this.standby, 'SELECT pg_promote()');
    [this.current, this.other] = [this.other, this.current];
  }

  /** Makes the former primary, which can have writes that nothing else has, the standby, from a copy of the primary. */
  async replaceStandby(): Promise<void> {
    await this.standby.stop();
    // Each copy has the kept log, so the copies of an hour would fill the disk.
    rmSync(dirname(this.standby.logFile), { recursive: true });
    await this.startStandby(this.standby.port);
  }

  async remove(): Promise<void> {
    await Promise.all([this.primary.stop(), this.standby.stop()]);
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** Resolves when commits wait for the standby. */
  private async startStandby(port: number): Promise<void> {
    this.copies += 1;
    const dataDir = join(this.folder, `copy-${this.copies}`);
    await copyRunning(this.primary, dataDir);
    const { username, password, port: primaryPort } = new URL(this.primary.url);
    const address = `host=127.0.0.1 port=${primaryPort} user=${username} password=${password}`;
    const settings = { ...SETTINGS, primary_conninfo: `${address} application_name=${STANDBY}` };
    this.other = await provisionPostgres({ dataDir, port, settings });
    // After the copy, so that a promoted standby does not wait for one that it does not have.
    await queryOn(this.primary, `ALTER SYSTEM SET synchronous_standby_names = '${STANDBY}'`);
    await queryOn(this.primary, 'SELECT pg_reload_conf()');
    await this.waitUntilSynchronous();
  }
}

/** Makes a base backup of a server while it runs. */
async function copyRunning(server: PostgresServer, dataDir: string): Promise<void> {
  const [from, to] = [clusterFiles(dirname(server.logFile)), clusterFiles(dataDir)];
  mkdirSync(dataDir);
  // The backup ends with the connection that has begun it.
  const client = new pg.Client({ connectionString: server.url });
  await client.connect();
  try {
    await client.query(`SELECT pg_backup_start('standby', fast => true)`);
    copy(from.cluster, to.cluster);
    const { rows } = await client.query<{ labelfile: string }>('SELECT labelfile FROM pg_backup_stop(false)');
    writeFileSync(join(to.cluster, 'backup_label'), rows[0]?.labelfile ?? '');
  } finally {
    await client.end();
  }
  copy(from.password, to.password);
  rmSync(join(to.cluster, 'postmaster.pid'), { force: true });
  writeFileSync(join(to.cluster, 'standby.signal'), '');
}

/** Files that the server deletes during the copy are not needed. */
function copy(from: string, to: string): void {
  const { stderr } = spawnSync('cp', ['-a', from, to], { encoding: 'utf8', env: { ...process.env, LC_ALL: 'C' } });
  const failures = stderr.split('\n').filter((line) => line !== '' && !line.endsWith('No such file or directory'));
  if (failures.length > 0) throw new Error(`The copy failed: ${failures.join('\n')}`);
}

/** Runs a statement on one of the servers. */
export async function queryOn(server: PostgresServer, text: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: server.url });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(text)).rows;
  } finally {
    await client.end();
  }
}
