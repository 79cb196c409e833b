// `npm test [-- jest arguments]`: runs the unit, integration and e2e tests with a Postgres and a Redis started for this
// run.
import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { provisionPostgres, type PostgresServer } from '../provision/postgres.js';
import { compiled, projectRoot } from '../provision/project-root.js';
import { describeFailure } from '../provision/provision-error.js';
import type { ProvisionedServer } from '../provision/provisioned-server.js';
import { provisionRedis, type RedisServer } from '../provision/redis.js';
import { watchLauncher } from '../start/launcher-watch.js';
import { findLeakedSecrets } from './leaked-secrets.js';
import { createRunFolder } from './run-folder.js';
import { summaryLine, type JestResult } from './summary-line.js';
import { testEnvironment } from './test-environment.js';

const POSTGRES_SETTINGS = {
  // Enough for two Jest workers, each with several applications and their connection pools.
  max_connections: '400',
  // The data of a run is deleted with it: nothing waits for the disk. Tests that kill PostgreSQL start a server of their own.
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  wal_level: 'minimal',
  max_wal_senders: '0',
};
// How long Jest may take to exit after it has written its result.
const EXIT_GRACE_MS = 10_000;
const RESULT_CHECK_INTERVAL_MS = 500;

const runFolder = createRunFolder(join(resolve(projectRoot, process.env['DATA_DIR'] || '.data'), 'test'));
process.exitCode = await run();

async function run(): Promise<number> {
  const started = performance.now();
  const servers: ProvisionedServer[] = [];
  try {
    const [postgres, redis] = await provision(servers);
    printStep(`Postgres and Redis are up after ${elapsedSince(started)} (in ${runFolder})`);
    const resultFile = join(runFolder, 'result.json');
    const record = join(runFolder, 'record');
    mkdirSync(record);
    const code = await runJest(resultFile, {
      TEST_DATABASE_URL: postgres.url,
      TEST_REDIS_URL: redis.url,
      TEST_RECORD_FOLDER: record,
    });
    printStep(`The tests took ${elapsedSince(started)}`);
    const leaks = printLeaks(record);
    if (!existsSync(resultFile)) return code || 1;
    console.log(summaryLine(JSON.parse(readFileSync(resultFile, 'utf8')) as JestResult));
    return code || leaks;
  } catch (error) {
    console.error(describeFailure(error));
    return 1;
  } finally {
    await Promise.allSettled(servers.map((server) => server.stop()));
    rmSync(runFolder, { recursive: true, force: true });
  }
}

/** Prints the output lines of applications that contain a secret of a test; returns 1 if there are any. */
function printLeaks(record: string): number {
  const leaks = findLeakedSecrets(record);
  for (const { secret, line } of leaks) printStep(`A log contains the secret ${secret}: ${line}`);
  if (leaks.length > 0) printStep(`${leaks.length} secrets in the logs of the applications: the run fails.`);
  return leaks.length > 0 ? 1 : 0;
}

async function provision(servers: ProvisionedServer[]): Promise<[PostgresServer, RedisServer]> {
  const keep = <T extends ProvisionedServer>(server: T): T => {
    servers.push(server);
    return server;
  };
  const settled = await Promise.allSettled([
    provisionPostgres({ dataDir: join(runFolder, 'postgres'), settings: POSTGRES_SETTINGS, durableInit: false }).then(
      keep,
    ),
    provisionRedis({ dataDir: join(runFolder, 'redis'), durable: false }).then(keep),
  ]);
  const [postgres, redis] = settled;
  if (postgres.status === 'rejected') throw postgres.reason;
  if (redis.status === 'rejected') throw redis.reason;
  return [postgres.value, redis.value];
}

/** Runs Jest and returns its exit code. The terminal sends SIGINT to Jest as well; other signals are forwarded. */
function runJest(resultFile: string, serverUrls: Record<string, string>): Promise<number> {
  const node = ['--import', compiled('tools/start/parent-watch'), join(projectRoot, 'node_modules/jest/bin/jest.js')];
  const jest = spawn(
    process.execPath,
    [...node, '--maxWorkers=2', '--json', `--outputFile=${resultFile}`, ...process.argv.slice(2)],
    {
      cwd: projectRoot,
      env: { ...testEnvironment(process.env), ...serverUrls },
      stdio: ['pipe', 'inherit', 'inherit'],
    },
  );
  process.on('SIGINT', () => undefined);
  process.on('SIGTERM', () => jest.kill('SIGTERM'));
  process.on('SIGHUP', () => jest.kill('SIGTERM'));
  watchLauncher(() => jest.kill('SIGTERM'));
  return new Promise((resolve, reject) => {
    jest.once('error', reject);
    jest.once('exit', (code) => resolve(code ?? 130));
    void killIfHanging(jest, resultFile);
  });
}

/** Kills Jest if it does not exit after it has written its result: a test has left a handle open. */
async function killIfHanging(jest: ChildProcess, resultFile: string): Promise<void> {
  const hasExited = (): boolean => jest.exitCode !== null || jest.signalCode !== null;
  while (!hasExited() && !existsSync(resultFile)) await sleep(RESULT_CHECK_INTERVAL_MS, undefined, { ref: false });
  await sleep(EXIT_GRACE_MS, undefined, { ref: false });
  if (hasExited()) return;
  printStep(
    'All tests have ended, but one of them left a handle open (a server, a connection, a timer): the run fails.',
  );
  jest.kill('SIGKILL');
}

function printStep(line: string): void {
  console.error(`==> ${line}`);
}

function elapsedSince(since: number): string {
  return `${((performance.now() - since) / 1000).toFixed(1)} s`;
}
