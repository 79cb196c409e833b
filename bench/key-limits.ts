import { Redis } from 'ioredis';
import { Client } from 'pg';
import { freePort } from '../tools/provision/free-port.js';
import { alone, inTurn, toFigure, type Figure } from './figures.js';
import { load, type Load } from './load.js';
import type { BenchPlatform } from './platform.js';
import { cpuMs, startProcess, stopProcess } from './processes.js';

const CONNECTIONS = 32;
const KEYS = 10_000;
/** Number of prepared requests, which the connections share and repeat. */
const SEQUENCE = 20_000;
/** A limit above every load of this figure. */
const NO_LIMIT = '1000000';

interface Result {
  readonly perSecond: number;
  readonly cpuUs: number;
  /** Number of script calls in Redis per request. */
  readonly scripts: number;
}

/**
 * The list of agents of the platform API with key check and limits, compared with the same route with a known caller.
 * Also with 10,000 keys in use, a few of them often and most of them rarely (Zipf), compared with one key.
 */
export async function keyLimits(platform: BenchPlatform, rounds: number, seconds: number): Promise<Figure[]> {
  const limited = await startApi(platform, 'apps/platform-api/src/main');
  const unlimited = await startApi(platform, 'bench/baseline/unlimited-api');
  const redis = new Redis(platform.redisUrl);
  try {
    const keys = zipfSequence(await addKeys(platform));
    const sides =
      (duration: number) =>
      ([api, headers]: readonly [Api, Load['headers']]): (() => Promise<Result>) =>
      () =>
        run(api, headers, redis, duration);
    const contenders = [
      [unlimited, headersOf(platform.key)],
      [limited, headersOf(platform.key)],
      [limited, keys.map(headersOf)],
    ] as const;
    await inTurn(contenders.map(sides(1)), 1);
    const [knownCaller = [], one = [], many = []] = await inTurn(contenders.map(sides(seconds)), rounds);
    return [
      ...compared('list agents, key check and limits', 'the same route with a known caller', one, knownCaller),
      alone(
        'list agents, script calls in Redis per request, including those of idle servers',
        'calls',
        [...one, ...many].map(({ scripts }) => scripts),
      ),
      ...compared('list agents, 10,000 keys (Zipf)', 'the same with one key', many, one),
    ];
  } finally {
    redis.disconnect();
    await Promise.all([limited, unlimited].map(({ process }) => stopProcess(process)));
  }
}

type Api = Awaited<ReturnType<typeof startApi>>;

async function startApi({ databaseUrl, redisUrl, key }: BenchPlatform, entry: string) {
  const port = await freePort();
  const limits = { RATE_LIMIT_BURST: NO_LIMIT, RATE_LIMIT_PER_MINUTE: NO_LIMIT, RATE_LIMIT_PER_DAY: NO_LIMIT };
  const env = { DATABASE_URL: databaseUrl, REDIS_URL: redisUrl, LOG_LEVEL: 'info', PLATFORM_API_PORT: String(port) };
  const started = await startProcess({ entry, env: { ...env, ...limits, KNOWN_KEY: key }, ready: /listening on/ });
  return { process: started, url: `http://127.0.0.1:${port}/api/v1/agents?limit=20` };
}

function headersOf(key: string): Readonly<Record<string, string>> {
  return { Authorization: `UserKey ${key}` };
}

async function run(api: Api, headers: Load['headers'], redis: Redis, seconds: number): Promise<Result> {
  const [cpuBefore, scriptsBefore] = [await cpuMs(api.process), await scriptCalls(redis)];
  const { perSecond, requests } = await load({
    url: api.url,
    method: 'GET',
    headers,
    connections: CONNECTIONS,
    seconds,
  });
  const cpuUs = (((await cpuMs(api.process)) - cpuBefore) / requests) * 1000;
  return { perSecond, cpuUs, scripts: ((await scriptCalls(redis)) - scriptsBefore) / requests };
}

async function scriptCalls(redis: Redis): Promise<number> {
  const stats = await redis.info('commandstats');
  return Number(/cmdstat_evalsha:calls=(\d+)/.exec(stats)?.[1] ?? 0);
}

/** Adds keys with the owner and the scopes of the administrator's key. */
async function addKeys({ databaseUrl }: BenchPlatform): Promise<string[]> {
  const keys = Array.from({ length: KEYS }, (_key, n) => `a-key-of-the-benchmark-${n}`);
  const database = new Client({ connectionString: databaseUrl });
  await database.connect();
  await database.query(
    `INSERT INTO api_keys (id, organization_id, name, hash, prefix, last_four, scopes, user_id, created_at)
     SELECT key, organization_id, key, encode(sha256(key::bytea), 'hex'), 'bench', 'mark', scopes, user_id, now()
     FROM unnest($1::text[]) key, (SELECT * FROM api_keys ORDER BY created_at LIMIT 1) one`,
    [keys],
  );
  await database.end();
  return keys;
}

/** Key n is used in proportion to 1 / (n + 1). */
function zipfSequence(keys: readonly string[]): string[] {
  let sum = 0;
  const cumulative = keys.map((_key, n) => (sum += 1 / (n + 1)));
  return Array.from({ length: SEQUENCE }, () => {
    const drawn = Math.random() * sum;
    return keys[cumulative.findIndex((upTo) => upTo >= drawn)] ?? '';
  });
}

function compared(name: string, baselineIs: string, ours: readonly Result[], baseline: readonly Result[]): Figure[] {
  const of = (value: (result: Result) => number) => ({
    ours: ours.map(value),
    baseline: baseline.map(value),
    against: [],
  });
  return [
    toFigure(
      { name: `${name}, ${CONNECTIONS} at once`, unit: '/s', baselineIs },
      of(({ perSecond }) => perSecond),
    ),
    toFigure(
      { name: `${name}, CPU per request`, unit: 'µs', baselineIs },
      of(({ cpuUs }) => cpuUs),
    ),
  ];
}
