// `npm test [-- jest arguments]`: runs the unit, integration and e2e tests with a Postgres and a Redis started for this
// run.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { provisionPostgres, type PostgresServer } from '../provision/postgres.js';
import { cpuTimeOf } from '../provision/process-identity.js';
import { projectRoot } from '../provision/project-root.js';
import { describeFailure } from '../provision/provision-error.js';
import type { ProvisionedServer } from '../provision/provisioned-server.js';
import { provisionRedis, type RedisServer } from '../provision/redis.js';
import { describeCosts, readCosts } from './costs.js';
import { delaysOf } from './delays.js';
import { runJest } from './jest-process.js';
import {
  countTests,
  failedFiles,
  firstFailure,
  replaceCounts,
  summaryLine,
  type FileResult,
  type TestCounts,
} from './jest-result.js';
import { findLeakedSecrets } from './leaked-secrets.js';
import { printStep } from './print-step.js';
import { createRunFolder } from './run-folder.js';

const POSTGRES_SETTINGS = {
  // Enough for all Jest workers, each with several applications and their connection pools.
  max_connections: '400',
  // The data of a run is deleted with it: nothing waits for the disk. Tests that kill PostgreSQL start a server of their own.
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  wal_level: 'minimal',
  max_wal_senders: '0',
};
/** More than there are cores, because tests also wait. Four took longer than three on two cores: 923 instead of 890 s. */
const WORKERS = 3;
/** More failed files than this are not the work of chance. */
const MAX_REPEATED_FILES = 10;
const COST_LINES = 15;

const runFolder = createRunFolder(join(resolve(projectRoot, process.env['DATA_DIR'] || '.data'), 'test'));
process.exitCode = await run();

async function run(): Promise<number> {
  const started = performance.now();
  const servers: ProvisionedServer[] = [];
  try {
    const [postgres, redis] = await provision(servers);
    printStep(`Postgres and Redis are up after ${elapsedSince(started)} (in ${runFolder})`);
    const record = join(runFolder, 'record');
    mkdirSync(record);
    const delays = delaysOf(process.env);
    if (delays !== undefined) printStep(`Random delays with the seed ${delays.seed} (TEST_DELAYS=${delays.seed})`);
    const tests = await runTests(record, {
      ...delays?.variables,
      TEST_DATABASE_URL: postgres.url,
      TEST_REDIS_URL: redis.url,
    });
    printStep(`The tests took ${elapsedSince(started)}`);
    printCosts(record, { PostgreSQL: postgres, Redis: redis });
    const leaks = printLeaks(record);
    for (const line of tests.unstable) console.log(line);
    if (tests.counts !== undefined) console.log(summaryLine(tests.counts));
    return tests.code || leaks;
  } catch (error) {
    console.error(describeFailure(error));
    return 1;
  } finally {
    await Promise.allSettled(servers.map((server) => server.stop()));
    rmSync(runFolder, { recursive: true, force: true });
  }
}

interface TestsOutcome {
  readonly code: number;
  /** Undefined if Jest ended before it wrote its result. */
  readonly counts: TestCounts | undefined;
  /** A line per file that failed at first and passed when it was repeated. */
  readonly unstable: readonly string[];
}

async function runTests(record: string, variables: Readonly<Record<string, string>>): Promise<TestsOutcome> {
  const args = [`--maxWorkers=${WORKERS}`, ...process.argv.slice(2)];
  const { code, result } = await runJest(args, join(runFolder, 'result.json'), record, variables);
  if (result === undefined) return { code: code || 1, counts: undefined, unstable: [] };
  const counts = countTests(result);
  const failed = failedFiles(result);
  const isRepeated = process.env['REPEAT_FAILED_FILES'] === 'true' && failed.length <= MAX_REPEATED_FILES;
  // Other codes than 1, or no failed file: not (only) tests have failed.
  if (!isRepeated || code !== 1 || failed.length === 0) return { code, counts, unstable: [] };
  return repeatFiles(failed, counts, record, variables);
}

/** Repeats each file once, alone. The results of a repetition replace the first ones. */
async function repeatFiles(
  files: readonly FileResult[],
  first: TestCounts,
  record: string,
  variables: Readonly<Record<string, string>>,
): Promise<TestsOutcome> {
  const unstable: string[] = [];
  let [code, counts] = [0, first];
  for (const [index, file] of files.entries()) {
    printStep(`Repeating ${relative(projectRoot, file.name)}, which failed: ${firstFailure(file)}`);
    const args = ['--maxWorkers=1', '--runTestsByPath', file.name];
    const repeated = await runJest(args, join(runFolder, `repeated-${index}.json`), record, variables);
    if (repeated.result !== undefined) counts = replaceCounts(counts, file, repeated.result);
    if (repeated.code !== 0 || repeated.result === undefined) code = repeated.code || 1;
    else unstable.push(`unstable: ${relative(projectRoot, file.name)}, first failure: ${firstFailure(file)}`);
  }
  return { code, counts, unstable };
}

/** Prints what the most expensive files cost, and keeps the costs of all files until the next run. */
function printCosts(record: string, servers: Readonly<Record<string, ProvisionedServer>>): void {
  const costs = readCosts(record);
  if (costs.length === 0) return;
  writeFileSync(join(dirname(runFolder), 'costs.json'), JSON.stringify(costs));
  printStep('CPU time of the most expensive test files, and of the programs they started:');
  const shared = Object.entries(servers).map(([program, { pid }]) => ({ program, starts: 1, cpu_ms: cpuTimeOf(pid) }));
  for (const line of describeCosts(costs, shared, COST_LINES)) console.error(line);
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

function elapsedSince(since: number): string {
  return `${((performance.now() - since) / 1000).toFixed(1)} s`;
}
