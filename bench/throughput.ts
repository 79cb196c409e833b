import { createHmac } from 'node:crypto';
import { inTurn, toFigure, type Figure } from './figures.js';
import { load } from './load.js';
import type { BenchPlatform, Build } from './platform.js';
import { prepareSetting, type Setting } from './setting.js';

export interface Pace {
  readonly rounds: number;
  readonly seconds: number;
}

const CONNECTIONS = 32;
/** Warm-up, because the first requests of a route run code that V8 has not optimized. */
const WARM_UP_SECONDS = 1;

interface Route {
  readonly name: string;
  readonly method: 'POST' | 'PATCH';
  readonly path: (setting: Setting) => string;
  readonly body: unknown;
  /** Default: the admin key of the build. */
  readonly headers?: (setting: Setting, body: string) => Readonly<Record<string, string>>;
  /** Path of the same work on the baseline servers. */
  readonly baselinePath: string;
  readonly work: string;
}

/** The triggers are last: they fill the queue. */
const ROUTES: readonly Route[] = [
  {
    name: 'publish an event',
    method: 'POST',
    path: ({ executionId }) => `/api/v1/executions/${executionId}/events`,
    body: {
      event_type: 'message_chunk',
      data: { role: 'assistant', content: 'A few words of an answer', is_chunk: true },
    },
    baselinePath: '/publish',
    work: 'the same Redis script',
  },
  {
    name: 'PATCH an execution',
    method: 'PATCH',
    path: ({ executionId }) => `/api/v1/executions/${executionId}`,
    body: { usage: { prompt_tokens: 100, completion_tokens: 20 } },
    baselinePath: '/patch',
    work: 'one UPDATE … RETURNING',
  },
  {
    name: 'heartbeat',
    method: 'POST',
    path: ({ workerId }) => `/api/v1/workers/${workerId}/heartbeat`,
    body: {},
    baselinePath: '/heartbeat',
    work: 'UPDATE of the worker, then of its lease',
  },
  {
    name: 'poll without work',
    method: 'POST',
    path: ({ idleWorkerId }) => `/api/v1/workers/${idleWorkerId}/poll`,
    body: { max: 1, wait_seconds: 0 },
    baselinePath: '/poll',
    work: 'SELECT, one Redis read, SELECT',
  },
  {
    name: 'trigger a job',
    method: 'POST',
    path: ({ jobId }) => `/api/v1/jobs/${jobId}/trigger`,
    body: { parameters: { name: 'Ada' } },
    baselinePath: '/trigger',
    work: 'insert, insert, update in one transaction, then BullMQ add',
  },
  {
    name: 'trigger by webhook',
    method: 'POST',
    path: ({ webhook }) => webhook.path,
    body: { parameters: { name: 'Ada' } },
    headers: ({ webhook }, body) => ({
      'X-Webhook-Signature': createHmac('sha256', webhook.secret).update(body).digest('hex'),
    }),
    baselinePath: '/trigger',
    work: 'insert, insert, update in one transaction, then BullMQ add',
  },
];

/**
 * Requests per second and CPU per request of the routes that workers and triggers use, compared with Express and plain
 * Node http, and with the build of `--against`. On a busy machine the CPU time varies less.
 */
export async function throughput(platform: BenchPlatform, setting: Setting, pace: Pace): Promise<Figure[]> {
  const { against } = platform;
  const other = against === null ? null : { build: against, setting: await prepareSetting(against) };
  const figures: Figure[] = [];
  for (const route of ROUTES) {
    const sides = (seconds: number): (() => Promise<Result>)[] => {
      const baseline = (url: string) => () =>
        run({ url: url + route.baselinePath, method: 'POST', body: route.body }, platform.baselineCpuMs, seconds);
      return [
        baseline(platform.express),
        baseline(platform.http),
        () => runBuild(route, platform, setting, seconds),
        ...(other === null ? [] : [() => runBuild(route, other.build, other.setting, seconds)]),
      ];
    };
    await inTurn(sides(WARM_UP_SECONDS), 1);
    figures.push(...toFigures(route, await inTurn(sides(pace.seconds), pace.rounds)));
  }
  return figures;
}

interface Result {
  readonly perSecond: number;
  readonly cpuUs: number;
}

interface Target {
  readonly url: string;
  readonly method: 'POST' | 'PATCH';
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

async function runBuild(
  { method, path, body, headers: headersOf }: Route,
  build: Build,
  setting: Setting,
  seconds: number,
): Promise<Result> {
  const headers = headersOf?.(setting, JSON.stringify(body)) ?? { Authorization: `Bearer ${build.key}` };
  return run({ url: build.url + path(setting), method, body, headers }, build.cpuMs, seconds);
}

async function run(target: Target, cpuMs: () => Promise<number>, seconds: number): Promise<Result> {
  const before = await cpuMs();
  const { perSecond, requests } = await load({ ...target, connections: CONNECTIONS, seconds });
  return { perSecond, cpuUs: (((await cpuMs()) - before) / requests) * 1000 };
}

function toFigures({ name, work }: Route, sides: readonly (readonly Result[])[]): Figure[] {
  const [express = [], http = [], ours = [], against = []] = sides;
  const rate = (results: readonly Result[]): number[] => results.map(({ perSecond }) => perSecond);
  const cpu = (results: readonly Result[]): number[] => results.map(({ cpuUs }) => cpuUs);
  const label = (server: string): { name: string; unit: string; baselineIs: string } => ({
    name: `${name}, ${CONNECTIONS} at once`,
    unit: '/s',
    baselineIs: `plain ${server}, ${work}`,
  });
  return [
    toFigure(label('Express'), { ours: rate(ours), baseline: rate(express), against: rate(against) }),
    toFigure(label('Node http'), { ours: rate(ours), baseline: rate(http), against: rate(against) }),
    toFigure(
      { name: `${name}, CPU per request`, unit: 'µs', baselineIs: `plain Node http, ${work}` },
      { ours: cpu(ours), baseline: cpu(http), against: cpu(against) },
    ),
  ];
}
