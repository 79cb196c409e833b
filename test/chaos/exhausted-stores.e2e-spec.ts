import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@app/testing';
import { Redis } from 'ioredis';
import pg from 'pg';
import type { RedisServer } from '../../tools/provision/redis.js';
import type { PostgresServer } from '../../tools/provision/postgres.js';
import { lostOf } from '../support/chaos.js';
import { call, type HttpResponse } from '../support/http.js';
import { startOwnPostgres, startOwnRedis, type OwnServer } from '../support/own-stores.js';
import { Platform } from '../support/platform.js';
import { findOrderViolations, Scenario } from '../support/scenario.js';
import { SilentProxy } from '../support/silent-proxy.js';

type Json = Record<string, unknown>;

const ENV = {
  DEFAULT_MODEL: 'development-model',
  RECONCILE_INTERVAL_MS: '500',
  LEASE_HEARTBEATS: '0.5',
};
const LONG_RUN = '[[pace 50ms]] [[tokens 60]]';

const send = (platform: Platform, path: string, body: object): Promise<HttpResponse> =>
  call('POST', `${platform.url}/api/v1${path}`, { key: platform.adminKey, body });

async function readinessOf(platform: Platform): Promise<Json> {
  const { status, body } = await call('GET', `${platform.url}/api/health/ready`);
  return { status, ...((body as Json)['checks'] as Json) };
}

const publish = (platform: Platform, id: string): Promise<HttpResponse> =>
  send(platform, `/executions/${id}/events`, { event_type: 'tick', data: {} });

describe('a Redis', () => {
  let redis: OwnServer<RedisServer>;
  let proxy: SilentProxy;
  let platform: Platform;
  let user: Scenario;
  let agentId: string;
  let admin: Redis;

  beforeAll(async () => {
    redis = await startOwnRedis();
    proxy = await SilentProxy.to(redis.server.url);
    admin = new Redis(redis.server.url);
    platform = await Platform.start({
      modelGateway: true,
      redisUrl: redis.server.url,
      env: { ...ENV, REDIS_URL: proxy.urlFor(redis.server.url) },
    });
    user = new Scenario(platform);
    agentId = await user.newAgent();
  });

  afterAll(async () => {
    proxy.speak();
    await platform.stop();
    admin.disconnect();
    await proxy.close();
    await redis.remove();
  });

  it.each([
    ['that is full', () => admin.config('SET', 'maxmemory', '1'), () => admin.config('SET', 'maxmemory', '0')],
    ['that became silent', async () => proxy.silence(), async () => proxy.speak()],
  ])('%s fails events and polls with a named error, accepts starts, and loses nothing', async (name, begin, end) => {
    const queueId = await user.newQueue(name.split(' ').join('-'));
    const worker = await platform.startWorker({ WORKER_QUEUE: queueId });
    const running = await user.execute(agentId, LONG_RUN, queueId);
    const reader = user.follow(running);
    await reader.waitFor('message_chunk');

    await begin();
    const refused = await publish(platform, running);
    expect([refused.status, refused.headers.get('x-error-code')]).toEqual([503, 'store_unavailable']);
    const { worker_id } = (await send(platform, `/worker-queues/${queueId}/start`, {})).body as Json;
    expect((await send(platform, `/workers/${String(worker_id)}/poll`, { wait_seconds: 0 })).status).toBe(503);
    // Requests within a second share a probe.
    await eventually(async () => expect(await readinessOf(platform)).toMatchObject({ status: 503 }));
    const started = [await user.execute(agentId, 'One', queueId), await user.execute(agentId, 'Two', queueId)];

    await end();
    const all = [running, ...started];
    const ended = await Promise.all(all.map((id) => user.waitUntilEnded(id)));
    const completed = ended.filter(({ status }) => status === 'completed').map(({ id }) => id);
    expect(lostOf(all, completed)).toEqual([]);
    await eventually(async () => expect(await readinessOf(platform)).toMatchObject({ status: 200 }));
    const events = await reader.done;
    expect(findOrderViolations(events)).toEqual([]);
    expect(events.at(-1)?.event).toBe('done');
    await worker.process.kill('SIGTERM');
  });
});

describe('a PostgreSQL whose connections others use', () => {
  let postgres: OwnServer<PostgresServer>;
  let platform: Platform;
  let user: Scenario;
  const others: pg.Client[] = [];

  beforeAll(async () => {
    postgres = await startOwnPostgres({ max_connections: '40', superuser_reserved_connections: '0' });
    platform = await Platform.start({ modelGateway: true, databaseUrl: postgres.server.url, env: ENV });
    user = new Scenario(platform);
  });

  afterAll(async () => {
    await closeOthers();
    await platform.stop();
    await postgres.remove();
  });

  const closeOthers = async (): Promise<void> => {
    await Promise.all(others.splice(0).map((client) => client.end()));
  };

  /** Opens connections until the server refuses one. Returns the code of the refusal. */
  async function openAll(): Promise<unknown> {
    for (;;) {
      const client = new pg.Client({ connectionString: postgres.server.url });
      client.on('error', () => undefined);
      try {
        await client.connect();
        others.push(client);
      } catch (error) {
        return (error as { code?: unknown }).code;
      }
    }
  }

  it('fails requests with a named error, and is used again without a restart', async () => {
    const agentId = await user.newAgent();
    const queueId = await user.newQueue('crowded');
    await platform.startWorker({ WORKER_QUEUE: queueId });
    const running = await user.execute(agentId, LONG_RUN, queueId);
    await user.follow(running).waitFor('message_chunk');
    expect(await openAll()).toBe('53300');
    const [first] = others;
    // The platform loses its connections, and others open theirs before it.
    await eventually(async () => {
      await first?.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE application_name = 'agent-platform' AND datname = current_database()`);
      expect(await openAll()).toBe('53300');
      const { rows } = (await first?.query(`SELECT 1 FROM pg_stat_activity
        WHERE application_name = 'agent-platform'`)) ?? { rows: [] };
      expect(rows).toEqual([]);
      // A terminated connection can leave its place after all others were taken, and the platform takes it.
      const refused = await send(platform, `/agents/${agentId}/execute`, { prompt: 'Refused' });
      expect([refused.status, refused.headers.get('x-error-code')]).toEqual([503, 'store_unavailable']);
    });
    // Requests within a second share a probe.
    await eventually(async () => expect(await readinessOf(platform)).toMatchObject({ status: 503 }));

    await closeOthers();
    const id = await eventually(() => user.execute(agentId, 'Accepted', queueId));
    for (const one of [running, id]) {
      expect(await user.waitUntilEnded(one)).toMatchObject({ status: 'completed' });
    }
    await eventually(async () => expect(await readinessOf(platform)).toMatchObject({ status: 200 }));
  });
});

describe('a worker that the platform does not hear any more', () => {
  let proxy: SilentProxy;
  let platform: Platform;
  let user: Scenario;

  beforeAll(async () => {
    platform = await Platform.start({ modelGateway: true, env: ENV });
    proxy = await SilentProxy.to(platform.url);
    user = new Scenario(platform);
  });

  afterAll(async () => {
    proxy.speak();
    await platform.stop();
    await proxy.close();
  });

  it('loses its run to another one, ends it once, and works again when it is heard', async () => {
    const agentId = await user.newAgent();
    const queueId = await user.newQueue('cut-off');
    const url = proxy.urlFor(platform.url).replace(/\/$/, '');
    const cutOff = await platform.startWorker({ WORKER_QUEUE: queueId, CONTROL_PLANE_URL: url });
    const id = await user.execute(agentId, LONG_RUN, queueId);
    const reader = user.follow(id);
    await reader.waitFor('message_chunk');
    proxy.silence();
    const other = await platform.startWorker({ WORKER_QUEUE: queueId });
    expect(await user.waitUntilEnded(id)).toMatchObject({ status: 'completed' });
    // The poll that was open when the worker became silent can have received a further attempt.
    const [stored] = await platform.sql<{ attempt: number }>('SELECT attempt FROM executions WHERE id = $1', [id]);
    expect(stored?.attempt).toBeGreaterThan(1);
    proxy.speak();
    const events = await reader.done;
    expect(events.filter(({ event }) => event === 'done')).toHaveLength(1);
    expect(findOrderViolations(events)).toEqual([]);
    await other.process.kill('SIGTERM');
    const next = await user.execute(agentId, 'Heard again', queueId);
    expect(await user.waitUntilEnded(next)).toMatchObject({ status: 'completed' });
    expect(cutOff.process.running).toBe(true);
    const ends = `SELECT 1 FROM execution_transitions WHERE execution_id = $1 AND to_status = 'completed'`;
    expect(await platform.sql(ends, [id])).toHaveLength(1);
  });
});
