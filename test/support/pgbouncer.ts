import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../tools/provision/free-port.js';
import { changeOwner, choosePostgresAccount } from '../../tools/provision/postgres-account.js';
import { spawnIdentity } from '../../tools/provision/postgres-cluster.js';
import { tryConnect } from '../../tools/provision/postgres-connection.js';
import { findProgram, type Program } from '../../tools/provision/programs.js';
import { readLog } from '../../tools/provision/server-log.js';
import { ServerProcess } from '../../tools/provision/server-process.js';
import { waitUntil } from '../../tools/provision/wait-until.js';

export interface PgBouncer {
  /** The URL of the database behind the pooler. */
  readonly url: string;
  stop(): Promise<void>;
}

/** Undefined: `npm run programs` has not provided it. */
export const pgbouncer = process.platform === 'linux' ? findProgram('pgbouncer') : undefined;

/** Starts a PgBouncer in transaction mode, with few connections, in front of the server of a database. */
export async function startPgBouncer(program: Program, databaseUrl: string, connections: number): Promise<PgBouncer> {
  const target = new URL(databaseUrl);
  const folder = mkdtempSync(join(tmpdir(), 'pgbouncer-'));
  const [port, logFile] = [await freePort(), join(folder, 'pgbouncer.log')];
  const users = join(folder, 'users.txt');
  writeFileSync(users, `"${target.username}" "${target.password}"\n`);
  const settings = join(folder, 'pgbouncer.ini');
  writeFileSync(
    settings,
    `[databases]
* = host=${target.hostname} port=${target.port}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = scram-sha-256
auth_file = ${users}
pool_mode = transaction
default_pool_size = ${connections}
max_client_conn = 400
`,
  );
  const account = choosePostgresAccount([folder]);
  changeOwner(folder, account);
  const server = await ServerProcess.start({
    command: program.path,
    args: [settings],
    parentDeathSignal: 'SIGINT',
    logFile,
    env: { ...process.env, ...program.env },
    prefix: account.prefix,
    ...spawnIdentity(account),
  });
  target.port = String(port);
  const url = target.toString();
  const isUp = await waitUntil(async () => (server.running ? (await tryConnect(url)).connected || undefined : false), {
    timeoutMs: 20_000,
    intervalMs: 50,
  });
  const stop = async (): Promise<void> => {
    await server.stop('SIGINT', 5000);
    rmSync(folder, { recursive: true, force: true });
  };
  if (isUp === true) return { url, stop };
  const printed = readLog(logFile, 0);
  await stop();
  throw new Error(`PgBouncer did not start: ${printed}`);
}
