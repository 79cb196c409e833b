// `npm test [-- jest arguments]`: unit, integration and e2e tests against a Postgres and a Redis of this run's own.
import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { provisionPostgres, type PostgresServer } from '../provision/postgres.js';
import { compiled, projectRoot } from '../provision/project-root.js';
import { describeFailure } from '../provision/provision-error.js';
import { provisionRedis, type RedisServer } from '../provision/redis.js';
import { watchLauncher } from '../start/launcher-watch.js';
import { makeRunFolder } from './run-folder.js';
import { closingLine, type JestResult } from './test-counts.js';

// What the tests of one run may use at once: two Jest workers, each with several applications and their pools.
const postgresSettings = { max_connections: '400' };
// What a run may take to end after its last test, in milliseconds.
const openHandleGraceMs = 10_000;
// A developer's own settings must not leak into tests.
const settingsOfOthers =
  /^(DATABASE_|REDIS_|NATS_|LLM_|CONTROL_PLANE_|PLATFORM_API_|WORKER_|PUBLIC_URL|DEFAULT_MODEL|BOOTSTRAP_|CORS_|OPA_|POLICY_|LEASE_|RECONCILE_)/;

const runFolder = makeRunFolder(join(resolve(projectRoot, process.env['DATA_DIR'] || '.data'), 'test'));
process.exitCode = await run();

async function run(): Promise<number> {
  const started = performance.now();
  const servers: (PostgresServer | RedisServer)[] = [];
  try {
    const [postgres, redis] = await provision(servers);
    say(`Postgres and Redis are up after ${seconds(started)} (in ${runFolder})`);
    const resultFile = join(runFolder, 'result.json');
    const code = await runJest(resultFile, { TEST_DATABASE_URL: postgres.url, TEST_REDIS_URL: redis.url });
    say(`The tests took ${seconds(started)}`);
    if (!existsSync(resultFile)) return code || 1;
    console.log(closingLine(JSON.parse(readFileSync(resultFile, 'utf8')) as JestResult));
    return code;
  } catch (error) {
    console.error(describeFailure(error));
    return 1;
  } finally {
    await Promise.allSettled(servers.map((server) => server.stop()));
    rmSync(runFolder, { recursive: true, force: true });
  }
}

async function provision(servers: (PostgresServer | RedisServer)[]): Promise<[PostgresServer, RedisServer]> {
  const keep = <T extends PostgresServer | RedisServer>(server: T): T => {
    servers.push(server);
    return server;
  };
  const settled = await Promise.allSettled([
    provisionPostgres({ dataDir: join(runFolder, 'postgres'), settings: postgresSettings, durableInit: false }).then(
      keep,
    ),
    provisionRedis({ dataDir: join(runFolder, 'redis') }).then(keep),
  ]);
  const [postgres, redis] = settled;
  if (postgres.status === 'rejected') throw postgres.reason;
  if (redis.status === 'rejected') throw redis.reason;
  return [postgres.value, redis.value];
}

/** Ctrl-C reaches Jest by itself, as a process of the same group; other ends are passed on. */
function runJest(resultFile: string, addresses: Record<string, string>): Promise<number> {
  const node = ['--import', compiled('tools/start/parent-watch'), join(projectRoot, 'node_modules/jest/bin/jest.js')];
  const jest = spawn(
    process.execPath,
    [...node, '--maxWorkers=2', '--json', `--outputFile=${resultFile}`, ...process.argv.slice(2)],
    { cwd: projectRoot, env: { ...ownEnvironment(), ...addresses }, stdio: ['pipe', 'inherit', 'inherit'] },
  );
  process.on('SIGINT', () => undefined);
  process.on('SIGTERM', () => jest.kill('SIGTERM'));
  process.on('SIGHUP', () => jest.kill('SIGTERM'));
  watchLauncher(() => jest.kill('SIGTERM'));
  return new Promise((resolve, reject) => {
    jest.once('error', reject);
    jest.once('exit', (code) => resolve(code ?? 130));
    void endWithin(openHandleGraceMs, jest, resultFile);
  });
}

/** A run whose result is there and that does not end was left something open by a test: it fails instead of hanging. */
async function endWithin(graceMs: number, jest: ChildProcess, resultFile: string): Promise<void> {
  const isOver = (): boolean => jest.exitCode !== null || jest.signalCode !== null;
  while (!isOver() && !existsSync(resultFile)) await sleep(500, undefined, { ref: false });
  await sleep(graceMs, undefined, { ref: false });
  if (isOver()) return;
  say('All tests have ended, but one of them left something open (a server, a connection, a timer): the run fails.');
  jest.kill('SIGKILL');
}

function ownEnvironment(): NodeJS.ProcessEnv {
  const own = Object.entries(process.env).filter(([name]) => !settingsOfOthers.test(name));
  return { ...Object.fromEntries(own), NODE_ENV: 'test', TZ: 'UTC', LOG_LEVEL: process.env['LOG_LEVEL'] || 'error' };
}

function say(line: string): void {
  console.error(`==> ${line}`);
}

function seconds(since: number): string {
  return `${((performance.now() - since) / 1000).toFixed(1)} s`;
}
