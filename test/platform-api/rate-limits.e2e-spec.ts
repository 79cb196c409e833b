import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { admittedTimes, eventually, testRedisUrl } from '@app/testing';
import { Redis } from 'ioredis';
import type { RedisServer } from '../../tools/provision/redis.js';
import { call, type HttpResponse } from '../support/http.js';
import { series } from '../support/metrics.js';
import { startOwnRedis, type OwnServer } from '../support/own-stores.js';
import { Platform } from '../support/platform.js';
import { PlatformApi } from './platform-api.js';

const ME = '/api/v1/auth/me';
const KEYS = '/api/v1/auth/keys';
const NAMES = ['Limit', 'Remaining', 'Reset', 'Burst-Limit', 'Burst-Remaining'];
const BURST_MS = 10_000;
const MINUTE_S = 60;

interface Limited {
  readonly id: string;
  readonly key: string;
}

let platform: Platform;
let admin: PlatformApi;
let redis: Redis;

beforeAll(async () => {
  const share = { FAIR_SHARE_PER_SECOND: '1', FAIR_SHARE_BURST: '20' };
  const limits = { RATE_LIMIT_BURST: '', RATE_LIMIT_PER_MINUTE: '', RATE_LIMIT_PER_DAY: '' };
  platform = await Platform.start({ platformApi: 4, env: { ...limits, ...share } });
  admin = new PlatformApi(platform, (await platform.createOrganization('limited')).adminKey);
  redis = new Redis(testRedisUrl());
});
afterAll(async () => {
  redis.disconnect();
  await platform.stop();
});

async function newKey(): Promise<Limited> {
  return (await admin.expect(201, 'POST', KEYS, { name: 'limited', scopes: [] })) as unknown as Limited;
}

function send(key: string, path = ME, process = 0): Promise<HttpResponse> {
  return call('GET', (platform.platformApis[process]?.url ?? '') + path, { scheme: 'UserKey', key });
}

/** The five headers, as numbers. */
function limitsOf({ headers }: HttpResponse): number[] {
  return NAMES.map((name) => Number(headers.get(`x-ratelimit-${name}`) ?? Number.NaN));
}

const seconds = (): number => Date.now() / 1000;

describe('the limits of a key', () => {
  it('are stated by every response: successes, errors and unknown routes', async () => {
    const { key } = await newKey();
    const before = seconds();
    const responses = [
      await send(key),
      await send(key, '/api/v1/auth/keys'),
      await send(key, '/api/v1/executions/none'),
      await send(key, '/api/v1/nothing'),
    ];
    expect(responses.map(({ status }) => status)).toEqual([200, 403, 403, 404]);
    for (const [index, response] of responses.entries()) {
      const [limit, remaining, reset = 0, burst, burstRemaining] = limitsOf(response);
      expect([limit, remaining, burst, burstRemaining]).toEqual([100, 99 - index, 20, 19 - index]);
      // The oldest request leaves the minute then.
      expect(reset).toBeGreaterThanOrEqual(Math.ceil(before) + MINUTE_S);
      expect(reset).toBeLessThanOrEqual(Math.ceil(seconds()) + MINUTE_S);
    }
  });

  it('are unused in responses to requests without a valid key', async () => {
    const url = platform.platformApis[0]?.url ?? '';
    const responses = [
      await call('GET', `${url}${ME}`),
      await call('GET', `${url}${ME}`, { scheme: 'UserKey', key: 'a-key-that-was-never-created' }),
      await call('GET', `${url}/api/v1/nothing`),
      await call('GET', `${url}/api/health/live`),
      await call('GET', `${url}/api/v1/executions/%zz`),
    ];
    expect(responses.map(({ status }) => status)).toEqual([401, 401, 404, 200, 400]);
    for (const response of responses) expect(limitsOf(response)).toEqual([100, 100, expect.any(Number), 20, 20]);
  });

  it('apply to all processes together: no window admits more, and no request is denied below the limit', async () => {
    const { id, key } = await newKey();
    const responses = await Promise.all(Array.from({ length: 200 }, (_, n) => send(key, ME, n % 4)));
    const admitted = responses.filter(({ status }) => status === 200);
    const denied = responses.filter(({ status }) => status === 429);
    expect(admitted.length + denied.length).toBe(200);

    const times = await admittedTimes(redis, id);
    expect(times).toHaveLength(admitted.length);
    for (const [index, time] of times.entries()) {
      const later = times[index + 20];
      if (later !== undefined) expect(later - time).toBeGreaterThanOrEqual(BURST_MS);
    }
    // No request was denied before the 20 requests of the burst were used up.
    expect(admitted.length).toBeGreaterThanOrEqual(20);
    const places = admitted.map((response) => limitsOf(response)[4]).sort((one = 0, other = 0) => other - one);
    expect(places.slice(-20)).toEqual(expect.arrayContaining([0]));
    for (const response of denied) expect(limitsOf(response)[4]).toBe(0);
  });

  it('deny with the time after which a request passes, and do not count denied requests', async () => {
    const { id, key } = await newKey();
    await Promise.all(Array.from({ length: 20 }, () => send(key)));
    const sent = Date.now();
    const denied = await send(key);
    const received = Date.now();
    const retryAfter = Number(denied.headers.get('retry-after'));
    expect(denied).toMatchObject({
      status: 429,
      body: {
        error: 'Too many requests',
        details: expect.any(String),
        errorCode: 'RATE_LIMITED',
        status: 429,
        retryAfter,
      },
    });
    const admitted = await admittedTimes(redis, id);
    const freesAt = (admitted.at(-20) ?? 0) + BURST_MS;
    expect(retryAfter).toBeGreaterThanOrEqual(Math.ceil((freesAt - received) / 1000));
    expect(retryAfter).toBeLessThanOrEqual(Math.max(1, Math.ceil((freesAt - sent) / 1000)));
    // An unknown route is denied as well.
    expect(await send(key, '/api/v1/nothing')).toMatchObject({ status: 429, body: { errorCode: 'RATE_LIMITED' } });
    // A timer can be early by a millisecond.
    await sleep(retryAfter * 1000 + 10);
    expect(await send(key)).toMatchObject({ status: 200 });
    expect(await admittedTimes(redis, id)).toEqual([...admitted, expect.any(Number)]);
  });

  it('deny a request before its body has arrived', async () => {
    const { key } = await newKey();
    await Promise.all(Array.from({ length: 20 }, () => send(key)));
    const { hostname, port } = new URL(platform.platformApis[0]?.url ?? '');
    const headers = [`Host: ${hostname}`, `Authorization: UserKey ${key}`, 'Content-Length: 1000000'];
    const socket = connect(Number(port), hostname);
    try {
      socket.write(`POST /api/v1/tasks HTTP/1.1\r\n${headers.join('\r\n')}\r\n\r\n{`);
      const [bytes] = (await once(socket, 'data')) as [Buffer];
      expect(bytes.toString()).toMatch(/^HTTP\/1\.1 429 [^]*\r\nRetry-After: \d+\r\n/);
    } finally {
      socket.destroy();
    }
  });

  it('can be set for a key, which takes effect in every process within a second', async () => {
    const { id, key } = await newKey();
    await send(key, ME, 3);
    await admin.expect(200, 'PATCH', `${KEYS}/${id}`, { rate_limits: { burst: 40, per_day: 50 } });
    await eventually(async () => {
      expect(limitsOf(await send(key, ME, 3))).toEqual([
        50,
        expect.any(Number),
        expect.any(Number),
        40,
        expect.any(Number),
      ]);
    });
    await admin.expect(200, 'PATCH', `${KEYS}/${id}`, { rate_limits: null });
    await eventually(async () => expect(limitsOf(await send(key, ME, 3))[3]).toBe(20));
  });

  it('of a revoked key have no effect: every process rejects it within a second', async () => {
    const { id, key } = await newKey();
    const statuses = (): Promise<number[]> =>
      Promise.all(platform.platformApis.map(async (_api, process) => (await send(key, ME, process)).status));
    expect(await statuses()).toEqual([200, 200, 200, 200]);
    await admin.call('DELETE', `${KEYS}/${id}`);
    await eventually(async () => expect(await statuses()).toEqual([401, 401, 401, 401]));
  });

  it('apply to the key alone', async () => {
    const [one, other] = [await newKey(), await newKey()];
    await Promise.all(Array.from({ length: 30 }, () => send(one.key)));
    expect(limitsOf(await send(other.key))).toEqual([100, 99, expect.any(Number), 20, 19]);
  });
});

describe('the limits of a key while Redis is frozen', () => {
  let store: OwnServer<RedisServer>;
  let own: Platform;

  beforeAll(async () => {
    store = await startOwnRedis();
    own = await Platform.start({ platformApi: 2, redisUrl: store.server.url, env: { RATE_LIMIT_BURST: '3' } });
  });
  afterAll(async () => {
    await own.stop();
    await store.remove();
  });

  it('apply to each process alone, which counts its decisions in a metric', async () => {
    const urls = own.platformApis.map(({ url }) => url);
    const options = { scheme: 'UserKey', key: own.adminKey };
    process.kill(store.server.pid, 'SIGSTOP');
    try {
      for (const url of urls) {
        const statuses: number[] = [];
        for (let sent = 0; sent < 5; sent += 1) statuses.push((await call('GET', url + ME, options)).status);
        expect(statuses).toEqual([200, 200, 200, 429, 429]);
      }
    } finally {
      process.kill(store.server.pid, 'SIGCONT');
    }
    for (const url of urls) {
      const text = String((await call('GET', `${url}/metrics`)).body);
      expect(series(text, 'platform_rate_limit_local_decisions_total', {})).toBe(5);
    }
  });
});

describe('the share of an organization', () => {
  const agents = '/api/v1/agents';
  const heartbeat = '/api/v1/workers/none/heartbeat';

  it('limits its requests to each control plane, on ordinary and hot routes, while others are served', async () => {
    const [busy, other] = await Promise.all(['busy', 'quiet'].map((name) => platform.createOrganization(name)));
    const sent = Array.from({ length: 60 }, (_, n) =>
      n % 2 === 0
        ? call('GET', platform.url + agents, { key: busy?.adminKey ?? '' })
        : call('POST', platform.url + heartbeat, { key: busy?.adminKey ?? '', body: {} }),
    );
    const responses = await Promise.all(sent);
    const served = responses.filter(({ status }) => status !== 429);
    expect(served.length).toBeGreaterThanOrEqual(20);
    for (const parity of [0, 1]) {
      const denied = responses.find(({ status }, n) => status === 429 && n % 2 === parity);
      expect(denied?.body).toEqual({ detail: expect.any(String) });
      expect(denied?.headers.get('x-error-code')).toBe('rate_limited');
      expect(Number(denied?.headers.get('retry-after'))).toBe(1);
    }
    expect(await call('GET', platform.url + agents, { key: other?.adminKey ?? '' })).toMatchObject({ status: 200 });
  });
});
