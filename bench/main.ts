// `npm run bench [-- <name>... --quick --rounds <n> --against <folder>]`: measures each figure in turn with its
// baseline, on the same machine and stores. Prints the table and writes it as JSON. No figure makes a build fail.
import 'reflect-metadata';
import { mkdir, writeFile } from 'node:fs/promises';
import { cpus } from 'node:os';
import { dirname, join } from 'node:path';
import { projectRoot } from '../tools/provision/project-root.js';
import { resolvedContext } from './context.js';
import { toTable, type Figure } from './figures.js';
import { analytics } from './analytics.js';
import { conversations } from './conversations.js';
import { commandLine } from './command-line.js';
import { besideDeadWorkers } from './dead-workers.js';
import { besideFlood } from './flood.js';
import { growth } from './growth/figure.js';
import { besideHostilePolicies } from './hostile-policies.js';
import { keyCheck } from './key-check.js';
import { keyLimits } from './key-limits.js';
import { idleReaders } from './idle-readers.js';
import { knowledgeSearch } from './knowledge.js';
import { triggerToLease } from './latency.js';
import { besideLongLogs } from './long-logs.js';
import { manyProcesses } from './many-processes/figure.js';
import { listModels } from './models.js';
import { natsBacklog } from './nats.js';
import { parseOptions, type Options } from './options.js';
import { pages } from './pages.js';
import { startBenchPlatform, type BenchPlatform } from './platform.js';
import { inheritedPolicies } from './policies.js';
import { besideProviders } from './providers.js';
import { eventToReader } from './readers.js';
import { regoFigures } from './rego.js';
import { atRest } from './rest.js';
import { manyDueAtOnce } from './schedules.js';
import { prepareSetting, type Setting } from './setting.js';
import { throughput } from './throughput.js';
import { wholeRun } from './whole-run/figure.js';
import { traces } from './traces.js';
import { tracing } from './tracing.js';
import { toolServer } from './tool-server.js';
import { workflowSteps } from './workflow-steps.js';

/** What a group of figures is measured on, and how thoroughly. */
interface Measurement {
  readonly platform: BenchPlatform;
  readonly setting: Setting;
  /** Whether a few requests or seconds are enough. */
  readonly quick: boolean;
  readonly rounds: number;
}

type Measure = (measurement: Measurement) => Promise<Figure[]>;

/** The groups of figures, in the order of the table. */
const GROUPS: Readonly<Record<string, Measure>> = {
  readers: async ({ platform, quick }) => {
    const figures: Figure[] = [];
    for (const readers of [1, 100, 1000]) {
      figures.push(...(await eventToReader(platform, readers, readers === 1000 ? 30 : 200, quick ? 1 : 3)));
    }
    return figures;
  },
  'idle-readers': ({ platform, quick }) => idleReaders(platform, quick ? 1000 : 10_000),
  providers: ({ platform, quick, rounds }) => besideProviders(platform, rounds, quick ? 2 : 5),
  nats: ({ platform, quick, rounds }) => natsBacklog(platform, rounds, quick ? 500 : 2500),
  'long-logs': ({ platform, quick, rounds }) => besideLongLogs(platform, rounds, quick ? 300 : 1000),
  'trigger-to-lease': ({ platform, setting, rounds }) => triggerToLease(platform, setting, rounds, 100),
  'whole-run': ({ platform, quick, rounds }) =>
    wholeRun(platform, { rounds, executions: quick ? 300 : 1500, seconds: quick ? 2 : 5 }),
  'workflow-steps': ({ platform, quick, rounds }) => workflowSteps(platform, rounds, quick ? 5 : 20),
  'tool-server': ({ platform, quick, rounds }) => toolServer(platform, rounds, quick ? 30 : 200),
  'hot-routes': ({ platform, setting, quick, rounds }) =>
    throughput(platform, setting, { rounds, seconds: quick ? 1 : 3 }),
  flood: ({ platform, quick, rounds }) => besideFlood(platform, rounds, quick ? 100 : 500),
  'key-check': async ({ platform, rounds }) => [await keyCheck(platform, rounds)],
  'key-limits': ({ platform, quick, rounds }) => keyLimits(platform, rounds, quick ? 2 : 5),
  'command-line': ({ platform, quick, rounds }) => commandLine(platform, rounds * (quick ? 5 : 10)),
  policies: async ({ platform, quick, rounds }) => [
    ...regoFigures(rounds),
    ...(await inheritedPolicies(platform, rounds, quick ? 300 : 1000)),
    ...(await besideHostilePolicies(platform, rounds, quick ? 300 : 1000)),
  ],
  models: ({ platform, quick, rounds }) => listModels(platform, rounds, quick ? 500 : 2000),
  growth: ({ quick, rounds }) => growth(rounds, quick ? 20 : 30, quick),
  'many-processes': ({ platform, quick, rounds }) => manyProcesses(platform, rounds, quick ? 10 : 60),
  'dead-workers': ({ platform, quick, rounds }) => besideDeadWorkers(platform, rounds, quick ? 200 : 1000),
  pages: ({ platform, setting, quick, rounds }) => pages(platform, setting.executionId, rounds, quick ? 20 : 200),
  conversations: ({ platform, quick, rounds }) => conversations(platform, rounds, quick ? 100 : 500),
  context: ({ platform, quick, rounds }) => resolvedContext(platform, rounds, quick ? 100 : 500),
  knowledge: ({ platform, quick, rounds }) => knowledgeSearch(platform, rounds, quick ? 20 : 100),
  traces: ({ platform, quick, rounds }) => traces(platform, rounds, quick ? 2 : 5),
  tracing: ({ platform, quick, rounds }) => tracing(platform, rounds, quick ? 320 : 800),
  analytics: ({ platform, setting, quick }) =>
    analytics(platform, setting.executionId, quick ? 50_000 : 1_000_000, quick ? 20 : 100),
  schedules: ({ platform, quick }) => manyDueAtOnce(platform, quick ? 1000 : 10_000),
  'at-rest': ({ platform, rounds }) => atRest(platform, rounds),
};
/** The groups that measure the build of `--against` as well. */
const COMPARING_BUILDS = ['whole-run', 'hot-routes', 'policies'];

const { names, quick, rounds, against } = readOptions();
const figures = await measure();
const [cpu] = cpus();
console.log(`\n${cpus().length} × ${cpu?.model ?? 'unknown'}, Node ${process.version}, ${rounds} rounds, medians\n`);
console.log(toTable(figures));
const isComplete = names.length === Object.keys(GROUPS).length;
const file = join(projectRoot, '.data', 'bench', `${isComplete ? 'results' : names.join('+')}.json`);
await mkdir(dirname(file), { recursive: true });
const written = { node: process.version, cpus: cpus().length, rounds, against, figures };
await writeFile(file, `${JSON.stringify(written, null, 2)}\n`);
console.log(`\nWritten to ${file}`);
process.exit(0);

/** Exits with a message if the arguments are invalid. */
function readOptions(): Options {
  try {
    return parseOptions(process.argv.slice(2), { all: Object.keys(GROUPS), comparingBuilds: COMPARING_BUILDS });
  } catch (error) {
    console.error(error instanceof Error ? error.message : String(error));
    return process.exit(1);
  }
}

async function measure(): Promise<Figure[]> {
  step('Starting PostgreSQL, Redis, the control plane and the baseline servers');
  const platform = await startBenchPlatform(against);
  try {
    const setting = await prepareSetting(platform);
    const measured: Figure[] = [];
    for (const name of names) {
      step(`Measuring ${name}`);
      measured.push(...((await GROUPS[name]?.({ platform, setting, quick, rounds })) ?? []));
    }
    return measured;
  } finally {
    await platform.stop();
  }
}

function step(line: string): void {
  console.error(`==> ${line}`);
}
