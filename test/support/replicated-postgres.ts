import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '@app/testing';
import pg from 'pg';
import { provisionPostgres, type PostgresServer } from '../../tools/provision/postgres.js';
import { recordKill } from './chaos.js';

const STANDBY = 'standby';

/** A primary whose commits wait until a streaming standby has them on its disk. */
export class ReplicatedPostgres {
  private constructor(
    private readonly folder: string,
    readonly primary: PostgresServer,
    readonly standby: PostgresServer,
  ) {}

  static async start(): Promise<ReplicatedPostgres> {
    const folder = mkdtempSync(join(tmpdir(), 'replicated-'));
    const [first, second] = ['primary', STANDBY].map((name) => join(folder, name)) as [string, string];
    const empty = await provisionPostgres({ dataDir: first, durableInit: false });
    const { port } = empty;
    await empty.stop();
    // The copy of a stopped server is a base backup.
    mkdirSync(second);
    for (const part of ['cluster', 'password']) {
      const { status, stderr } = spawnSync('cp', ['-a', join(first, part), second], { encoding: 'utf8' });
      if (status !== 0) throw new Error(`The copy failed: ${stderr}`);
    }
    writeFileSync(join(second, 'cluster', 'standby.signal'), '');
    const primary = await provisionPostgres({
      dataDir: first,
      port,
      settings: { synchronous_standby_names: STANDBY },
    });
    const { username, password } = new URL(primary.url);
    const connection = `host=127.0.0.1 port=${port} user=${username} password=${password} application_name=${STANDBY}`;
    const standby = await provisionPostgres({ dataDir: second, settings: { primary_conninfo: connection } });
    const servers = new ReplicatedPostgres(folder, primary, standby);
    await servers.waitUntilSynchronous();
    return servers;
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

  /** Resolves when the standby accepts writes. */
  async promote(): Promise<void> {
    await queryOn(this.standby, 'SELECT pg_promote()');
  }

  async remove(): Promise<void> {
    await Promise.all([this.primary.stop(), this.standby.stop()]);
    rmSync(this.folder, { recursive: true, force: true });
  }
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
