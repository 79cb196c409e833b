import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually } from '@app/testing';
import { provisionRedis, type RedisServer } from '../../tools/provision/redis.js';
import { call } from '../support/http.js';
import { Platform } from '../support/platform.js';

type Json = Record<string, unknown>;

/** What was acknowledged is delivered, whatever dies on the way. Workers here are bare polls. */
describe('deliveries', () => {
  let platform: Platform;
  let redis: RedisServer;
  let folder: string;

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'deliveries-'));
    redis = await provisionRedis({ dataDir: folder });
    const env = { RECONCILE_INTERVAL_MS: '200' };
    platform = await Platform.start({ controlPlanes: 2, redisUrl: redis.url, env });
  }, 60_000);

  afterEach(async () => {
    await platform.stop();
    await redis.stop();
    rmSync(folder, { recursive: true, force: true });
  }, 60_000);

  async function json(method: string, path: string, body?: unknown, at = 0): Promise<Json> {
    const url = platform.controlPlanes[at]?.url;
    const answer = await call(method, `${url}/api/v1${path}`, { key: platform.adminKey, body });
    if (answer.status >= 400) throw new Error(`${method} ${path} was answered ${answer.status}`);
    return answer.body as Json;
  }

  const newWorker = async (): Promise<string> => String((await json('POST', '/workers/register'))['worker_id']);
  const newAgent = async (): Promise<string> => String((await json('POST', '/agents', { name: 'runner' }))['id']);

  async function execute(agentId: string, at = 0): Promise<string> {
    return String((await json('POST', `/agents/${agentId}/execute`, { prompt: 'Go' }, at))['execution_id']);
  }

  /** Polls until so many different executions were leased; fails when one comes twice. */
  async function leaseAll(workerId: string, count: number, at = 0): Promise<string[]> {
    const leased: string[] = [];
    await eventually(async () => {
      const body = { max: 10, wait_seconds: 1 };
      const leases = (await json('POST', `/workers/${workerId}/poll`, body, at)) as unknown as { execution: Json }[];
      leased.push(...leases.map(({ execution }) => String(execution['id'])));
      expect(leased).toHaveLength(count);
    }, 30_000);
    expect(new Set(leased).size).toBe(count);
    return leased.sort();
  }

  it('survive a control plane that is killed between the commit and the relay', async () => {
    const [agentId, workerId] = [await newAgent(), await newWorker()];
    // Redis hears nothing, so what is acknowledged now can not have been relayed.
    process.kill(redis.pid, 'SIGSTOP');
    const started = await Promise.all([execute(agentId), execute(agentId), execute(agentId)]);
    await Promise.all(platform.controlPlanes.map((app) => app.process.kill('SIGKILL')));
    process.kill(redis.pid, 'SIGCONT');
    platform.controlPlanes.length = 0;
    await platform.startControlPlane();
    expect(await leaseAll(workerId, 3)).toEqual(started.sort());
  }, 60_000);

  it('survive a Redis that is killed and comes back empty while work is pending', async () => {
    const [agentId, workerId] = [await newAgent(), await newWorker()];
    const started = await Promise.all(Array.from({ length: 20 }, () => execute(agentId)));
    await redis.kill('SIGKILL');
    started.push(await execute(agentId, 0), await execute(agentId, 1));
    await redis.restart({ wipe: true });
    started.push(await execute(agentId, 0));
    expect(await leaseAll(workerId, 23, 1)).toEqual(started.sort());
  }, 60_000);

  it('survive a Redis that is emptied while it runs', async () => {
    const [agentId, workerId] = [await newAgent(), await newWorker()];
    const started = await Promise.all(Array.from({ length: 5 }, () => execute(agentId)));
    await redis.restart({ wipe: true });
    expect(await leaseAll(workerId, 5, 1)).toEqual(started.sort());
  }, 60_000);

  it('come once each to workers that poll different control planes, each of which dispatches as well', async () => {
    const [agentId, one, two] = [await newAgent(), await newWorker(), await newWorker()];
    const counts = { taken: 0 };
    const leased: string[] = [];
    const work = async (workerId: string, at: number): Promise<void> => {
      while (counts.taken < 40) {
        const body = { max: 2, wait_seconds: 1 };
        const leases = (await json('POST', `/workers/${workerId}/poll`, body, at)) as unknown as { execution: Json }[];
        counts.taken += leases.length;
        leased.push(...leases.map(({ execution }) => String(execution['id'])));
      }
    };
    const working = [work(one, 0), work(two, 1)];
    const started = await Promise.all(Array.from({ length: 40 }, (_, index) => execute(agentId, index % 2)));
    await Promise.all(working);
    expect(leased.sort()).toEqual(started.sort());
  }, 60_000);
});
