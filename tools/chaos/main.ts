// `npm run chaos [-- --minutes <n> --seed <n>]`: runs the tests of test/chaos, one file per round, until the time is
// over. Prints the seed and the counts of each round, and the sums. The last round is finished, so that its stores are
// removed. With `--topology cluster`, the tests of replicated stores run one after another, and each loses servers
// repeatedly for an equal part of the time.
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { compiled, projectRoot } from '../provision/project-root.js';
import {
  addCounts,
  describeCounts,
  describeTopology,
  hasViolation,
  readCounts,
  readPauses,
  type Counts,
} from './counts.js';
import { parseOptions, type ChaosOptions } from './options.js';

interface Round {
  readonly test: string;
  readonly seed: number;
  readonly passed: boolean;
  readonly counts: Counts;
  /** Milliseconds without service after each promotion. */
  readonly pauses: readonly number[];
}

const FOLDER = 'test/chaos';
const SUFFIX = '.e2e-spec.ts';
/** Faults per round of test/chaos/random-faults: more than in `npm test`, where a round should be short. */
const FAULTS = '20';
const folder = mkdtempSync(join(tmpdir(), 'chaos-'));
let interrupted = false;
process.on('SIGINT', () => (interrupted = true));
process.exitCode = await run().finally(() => rmSync(folder, { recursive: true, force: true }));

async function run(): Promise<number> {
  let options: ChaosOptions;
  try {
    options = parseOptions(process.argv.slice(2));
  } catch (error) {
    console.error(
      `${(error as Error).message}\nUsage: npm run chaos -- [--minutes <n>] [--seed <n>] [--topology cluster]`,
    );
    return 64;
  }
  const tests = readdirSync(join(projectRoot, FOLDER)).filter((name) => name.endsWith(SUFFIX));
  const { topology } = options;
  const rounds = topology === undefined ? await runRounds(tests.sort(), options) : await runTopology(topology, options);
  const failed = rounds.filter(({ passed }) => !passed);
  const counts = addCounts(rounds.map((round) => round.counts));
  console.log(`\n${rounds.length} rounds (${failed.length} failed), ${describeCounts(counts)}, seed ${options.seed}`);
  for (const { test, seed } of failed) console.log(`  to repeat: CHAOS_SEED=${seed} npm test -- ${FOLDER}/${test}`);
  return failed.length > 0 || hasViolation(counts) || rounds.length === 0 ? 1 : 0;
}

/** Runs the tests in a random order, and each test once before it repeats any, then in a new order. */
async function runRounds(tests: readonly string[], { minutes, seed }: ChaosOptions): Promise<Round[]> {
  const endsAt = performance.now() + minutes * 60_000;
  const rounds: Round[] = [];
  let waiting: string[] = [];
  while (!interrupted && performance.now() < endsAt) {
    const roundSeed = (seed + rounds.length * 0x9e3779b1) % 2 ** 32;
    if (waiting.length === 0) waiting = [...tests];
    const [test = ''] = waiting.splice(roundSeed % waiting.length, 1);
    const startedAt = performance.now();
    const round = await runRound(test, roundSeed);
    rounds.push(round);
    const seconds = Math.round((performance.now() - startedAt) / 1000);
    const outcome = `${round.passed ? 'passed' : 'FAILED'} in ${seconds} s, ${describeCounts(round.counts)}`;
    console.log(`round ${rounds.length}: ${test.replace(SUFFIX, '')}, seed ${roundSeed}: ${outcome}`);
  }
  return rounds;
}

/** Runs each test of a topology once. */
async function runTopology(names: readonly string[], { minutes, seed }: ChaosOptions): Promise<Round[]> {
  const rounds: Round[] = [];
  for (const name of names) {
    if (interrupted) break;
    const startedAt = performance.now();
    const round = await runRound(`${name}${SUFFIX}`, seed, { CHAOS_MINUTES: String(minutes / names.length) });
    rounds.push(round);
    const seconds = Math.round((performance.now() - startedAt) / 1000);
    const outcome = `${round.passed ? 'passed' : 'FAILED'} in ${seconds} s`;
    console.log(`${name}: ${outcome}; ${describeTopology(round.counts, round.pauses)}`);
  }
  return rounds;
}

/** Runs one test file with its own stores. Its output is printed only if it fails. */
async function runRound(test: string, seed: number, env: Readonly<Record<string, string>> = {}): Promise<Round> {
  const file = join(folder, `${test}-${seed}.record`);
  const child = spawn(process.execPath, [compiled('tools/test/main'), join(FOLDER, test)], {
    cwd: projectRoot,
    env: { ...process.env, CHAOS_SEED: String(seed), CHAOS_RECORD: file, CHAOS_FAULTS: FAULTS, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const terminate = (): void => {
    interrupted = true;
    child.kill('SIGTERM');
  };
  process.on('SIGTERM', terminate);
  const output: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => output.push(chunk));
  child.stderr.on('data', (chunk: Buffer) => output.push(chunk));
  const passed = await new Promise<boolean>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve(code === 0));
  });
  process.off('SIGTERM', terminate);
  if (!passed) process.stderr.write(Buffer.concat(output));
  const record = existsSync(file) ? readFileSync(file, 'utf8') : '';
  return { test, seed, passed, counts: readCounts(record), pauses: readPauses(record) };
}
