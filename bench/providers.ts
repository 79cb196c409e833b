import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { provisionNats } from '../tools/provision/nats.js';
import { inTurn, toFigure, type Figure } from './figures.js';
import { load } from './load.js';
import type { BenchPlatform } from './platform.js';
import { cpuMs } from './processes.js';
import { ADMIN_HEADERS, newEventsPath, startSide, type Side } from './provider-side.js';

const CONNECTIONS = 32;
const EVENT = {
  event_type: 'message_chunk',
  data: { role: 'assistant', content: 'A few words of an answer', is_chunk: true },
};

/**
 * Publishing events while NATS and a webhook for `done` follow the log, compared with publishing to Redis alone.
 * (WebSockets follow no log.) Dispatchers deliver the events, so their CPU time affects publishing only if the machine is
 * saturated.
 */
export async function besideProviders(platform: BenchPlatform, rounds: number, seconds: number): Promise<Figure[]> {
  const folder = await mkdtemp(join(tmpdir(), 'providers-bench-'));
  const nats = await provisionNats(join(folder, 'nats'));
  const alone = await startSide(platform, {
    database: 'redis_alone',
    redisFolder: join(folder, 'alone'),
    providers: {},
  });
  const all = await startSide(platform, {
    database: 'all_providers',
    redisFolder: join(folder, 'all'),
    providers: { NATS_URL: nats.url },
  });
  await all.send('POST', '/api/v1/webhooks', { url: `${all.url}/api/health/live`, events: ['done'] });
  const publishUrls = new Map([
    [alone, alone.url + (await newEventsPath(alone.send))],
    [all, all.url + (await newEventsPath(all.send))],
  ]);
  // CPU time of the process that serves the publish requests, and of the dispatcher.
  const cpuOfBoth = (side: Side): Promise<number[]> => Promise.all([cpuMs(side.http), cpuMs(side.dispatcher)]);
  const measure = (side: Side) => async () => {
    const before = await cpuOfBoth(side);
    const url = publishUrls.get(side) ?? '';
    const { perSecond, requests } = await load({
      url,
      method: 'POST',
      headers: ADMIN_HEADERS,
      body: EVENT,
      connections: CONNECTIONS,
      seconds,
    });
    const [cpuUs = 0, dispatcherUs = 0] = (await cpuOfBoth(side)).map(
      (after, index) => ((after - (before[index] ?? 0)) / requests) * 1000,
    );
    return { perSecond, cpuUs, dispatcherUs };
  };
  try {
    await inTurn([measure(alone), measure(all)], 1);
    const [baseline = [], ours = []] = await inTurn([measure(alone), measure(all)], rounds);
    const name = `publish with all providers, ${CONNECTIONS} at once`;
    const baselineIs = 'the same with Redis alone';
    return [
      toFigure(
        { name, unit: '/s', baselineIs },
        { ours: ours.map(rateOf), baseline: baseline.map(rateOf), against: [] },
      ),
      toFigure(
        { name: `${name}, CPU per request`, unit: 'µs', baselineIs },
        { ours: ours.map(cpuOf), baseline: baseline.map(cpuOf), against: [] },
      ),
      toFigure(
        { name: `${name}, CPU of the dispatcher`, unit: 'µs', baselineIs },
        { ours: ours.map(dispatcherOf), baseline: baseline.map(dispatcherOf), against: [] },
      ),
    ];
  } finally {
    await Promise.all([alone.stop(), all.stop()]);
    await nats.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

interface Result {
  readonly perSecond: number;
  readonly cpuUs: number;
  readonly dispatcherUs: number;
}

const rateOf = ({ perSecond }: Result): number => perSecond;
const cpuOf = ({ cpuUs }: Result): number => cpuUs;
const dispatcherOf = ({ dispatcherUs }: Result): number => dispatcherUs;
