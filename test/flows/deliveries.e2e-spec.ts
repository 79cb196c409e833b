import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually } from '@app/testing';
import type { RedisServer } from '../../tools/provision/redis.js';
import { call } from '../support/http.js';
import { startOwnRedis, type OwnServer } from '../support/own-stores.js';
import { Platform } from '../support/platform.js';

type Json = Record<string, unknown>;

/** Every acknowledged execution is delivered, even if any process dies. The workers of these tests only poll. */
describe('delivery of executions', () => {
  let platform: Platform;
  let redis: OwnServer<RedisServer>;

  beforeEach(async () => {
    redis = await startOwnRedis();
    const env = { RECONCILE_INTERVAL_MS: '200' };
    platform = await Platform.start({ controlPlanes: 2, redisUrl: redis.server.url, env });
  });

  afterEach(async () => {
    await platform.stop();
    await redis.remove();
  });

  async function json(method: string, path: string, body?: unknown, at = 0): Promise<Json> {
    const url = platform.controlPlanes[at]?.url;
    const response = await call(method, `${url}/api/v1${path}`, { key: platform.adminKey, body });
    if (response.status >= 400) throw new Error(`${method} ${path} returned ${response.status}`);
    return response.body as Json;
  }

  const newWorker = async (): Promise<string> => String((await json('POST', '/workers/register'))['worker_id']);
  const newAgent = async (): Promise<string> => String((await json('POST', '/agents', { name: 'runner' }))['id']);

  async function execute(agentId: string, at = 0): Promise<string> {
    return String((await json('POST', `/agents/${agentId}/execute`, { prompt: 'Go' }, at))['execution_id']);
  }

  /** Polls until `count` executions are leased; fails if one of them is leased twice. */
  async function leaseAll(workerId: string, count: number, at = 0): Promise<string[]> {
    const leased: string[] = [];
    await eventually(async () => {
      const body = { max: 10, wait_seconds: 1 };
      const leases = (await json('POST', `/workers/${workerId}/poll`, body, at)) as unknown as { execution: Json }[];
      leased.push(...leases.map(({ execution }) => String(execution['id'])));
      expect(leased).toHaveLength(count);
    });
    expect(new Set(leased).size).toBe(count);
    return leased.sort();
  }

  it('survives the death of a control plane between the commit and the relay', async () => {
    const [agentId, workerId] = [await newAgent(), await newWorker()];
    // Redis is suspended, so executions acknowledged now cannot have been relayed.
    process.kill(redis.server.pid, 'SIGSTOP');
    const started = await Promise.all([execute(agentId), execute(agentId), execute(agentId)]);
    await Promise.all(platform.controlPlanes.map((app) => app.process.kill('SIGKILL')));
    process.kill(redis.server.pid, 'SIGCONT');
    platform.controlPlanes.length = 0;
    await platform.startControlPlane();
    expect(await leaseAll(workerId, 3)).toEqual(started.sort());
  });

  it('survives a crash of Redis with pending executions and its restart without data', async () => {
    const [agentId, workerId] = [await newAgent(), await newWorker()];
    const started = await Promise.all(Array.from({ length: 20 }, () => execute(agentId)));
    await redis.kill();
    started.push(await execute(agentId, 0), await execute(agentId, 1));
    await redis.server.restart({ wipe: true });
    started.push(await execute(agentId, 0));
    expect(await leaseAll(workerId, 23, 1)).toEqual(started.sort());
  });

  it('survives a loss of all data in Redis', async () => {
    const [agentId, workerId] = [await newAgent(), await newWorker()];
    const started = await Promise.all(Array.from({ length: 5 }, () => execute(agentId)));
    await redis.server.restart({ wipe: true });
    expect(await leaseAll(workerId, 5, 1)).toEqual(started.sort());
  });

  it('leases each execution once to workers that poll different control planes, both of which dispatch', async () => {
    const [agentId, one, two] = [await newAgent(), await newWorker(), await newWorker()];
    const leased: string[] = [];
    const work = async (workerId: string, at: number): Promise<void> => {
      while (leased.length < 40) {
        const body = { max: 2, wait_seconds: 1 };
        const leases = (await json('POST', `/workers/${workerId}/poll`, body, at)) as unknown as { execution: Json }[];
        leased.push(...leases.map(({ execution }) => String(execution['id'])));
      }
    };
    const working = [work(one, 0), work(two, 1)];
    const started = await Promise.all(Array.from({ length: 40 }, (_, index) => execute(agentId, index % 2)));
    await Promise.all(working);
    expect(leased.sort()).toEqual(started.sort());
  });
});
