import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@app/testing';
import { lostOf } from '../support/chaos.js';
import { call, type HttpResponse } from '../support/http.js';
import { startOwnRedis, type OwnServer } from '../support/own-stores.js';
import { Platform } from '../support/platform.js';
import { findOrderViolations, dataOf, ofType, Scenario } from '../support/scenario.js';
import type { RedisServer } from '../../tools/provision/redis.js';

/** A run of about two seconds. */
const LONG_RUN = '[[pace 20ms]] [[tokens 100]]';

describe('death of Redis', () => {
  let redis: OwnServer<RedisServer>;
  let platform: Platform;
  let user: Scenario;
  /** The same user on the other control plane. */
  let elsewhere: Scenario;
  let agentId: string;

  beforeAll(async () => {
    redis = await startOwnRedis();
    platform = await Platform.start({
      controlPlanes: 2,
      modelGateway: true,
      redisUrl: redis.server.url,
      env: { DEFAULT_MODEL: 'development-model', RECONCILE_INTERVAL_MS: '500' },
    });
    user = new Scenario(platform);
    elsewhere = new Scenario(platform, { url: platform.controlPlanes[1]?.url ?? '' });
    agentId = await user.newAgent();
  });

  afterAll(async () => {
    await platform.stop();
    await redis.remove();
  });

  it.each([
    ['with its data', false],
    ['without data', true],
  ])('followed by a restart %s loses no execution, and every reader receives the end', async (_data, wipe) => {
    const queueId = await user.newQueue(wipe ? 'wiped' : 'kept');
    const worker = await platform.startWorker({ WORKER_QUEUE: queueId, WORKER_CONCURRENCY: '3' });
    const running = await Promise.all(Array.from({ length: 3 }, () => user.execute(agentId, LONG_RUN, queueId)));
    const readers = running.map((id, index) => (index === 0 ? elsewhere : user).follow(id));
    await Promise.all(readers.map((reader) => reader.waitFor('message_chunk')));
    const waiting = await Promise.all(Array.from({ length: 10 }, () => user.execute(agentId, 'Soon', queueId)));
    readers.push(...waiting.map((id) => elsewhere.follow(id)));

    await redis.kill();
    const meanwhile = [
      await user.execute(agentId, 'No Redis', queueId),
      await elsewhere.execute(agentId, 'x', queueId),
    ];
    await redis.server.restart({ wipe });

    const all = [...running, ...waiting, ...meanwhile];
    const ended = await Promise.all(all.map((id) => user.waitUntilEnded(id)));
    const completed = ended.filter(({ status }) => status === 'completed').map(({ id }) => id);
    expect(lostOf(all, completed)).toEqual([]);
    const stories = await Promise.all(readers.map(({ done }) => done));
    expect(stories.flatMap(findOrderViolations)).toEqual([]);
    stories.forEach((events, index) => {
      const done = { event: 'done', data: { execution_id: all[index], response: ended[index]?.response } };
      expect(events.at(-1)).toMatchObject(done);
    });
    const starts = stories.flatMap((events) => ofType(events, 'run_started').map(dataOf));
    expect(starts.filter(({ attempt }) => attempt !== 1)).toEqual([]);
    const attempts = await platform.sql('SELECT DISTINCT attempt FROM executions WHERE id = ANY($1)', [all]);
    expect(attempts).toEqual([{ attempt: 1 }]);
    if (!wipe) expect(stories.flatMap((events) => ofType(events, 'gap_detected'))).toEqual([]);
    await worker.process.kill('SIGTERM');
  });

  it('does not prevent clients from starting and cancelling executions', async () => {
    const queueId = await user.newQueue('away');
    const first = await user.execute(agentId, 'First', queueId);
    await redis.kill();
    expect(await user.cancel(first)).toMatchObject({ status: 'cancelled' });
    const jobId = await user.newJob(agentId, { executor_type: 'specific_queue', worker_queue_name: 'away' });
    const { execution_id: second } = await user.trigger(jobId, { prompt: 'Second' });
    expect(await user.execution(second)).toMatchObject({ status: 'pending', prompt: 'Second' });
    await redis.server.restart({ wipe: true });
    await platform.startWorker({ WORKER_QUEUE: queueId });
    expect(await user.waitUntilEnded(second)).toMatchObject({ status: 'completed' });
    expect((await user.follow(first).done).at(-1)).toMatchObject({ event: 'done', data: { status: 'cancelled' } });
  });
});

describe('a control plane that starts without Redis', () => {
  let redis: OwnServer<RedisServer>;
  let platform: Platform;

  beforeAll(async () => {
    redis = await startOwnRedis();
    await redis.kill();
    platform = await Platform.start({ redisUrl: redis.server.url });
  });

  afterAll(async () => {
    await platform.stop();
    await redis.remove();
  });

  it('accepts triggers, rejects polls with 503 and Retry-After, and delivers once Redis is reachable', async () => {
    const send = (path: string, body: object): Promise<HttpResponse> =>
      call('POST', `${platform.url}/api/v1${path}`, { key: platform.adminKey, body });
    const user = new Scenario(platform);
    const queueId = await user.newQueue('early');
    const started = await send(`/worker-queues/${queueId}/start`, {});
    const { worker_id: workerId } = started.body as { worker_id: string };
    const jobFields = { executor_type: 'specific_queue', worker_queue_name: 'early' } as const;
    const { execution_id: id } = await user.trigger(await user.newJob(await user.newAgent(), jobFields));

    const refused = await send(`/workers/${workerId}/poll`, { wait_seconds: 0 });
    expect([refused.status, refused.body]).toEqual([503, { detail: 'The message store cannot be reached' }]);
    expect(refused.headers.get('Retry-After')).toBe('1');

    await redis.server.restart();
    const [lease] = await eventually(async () => {
      const { status, body } = await send(`/workers/${workerId}/poll`, { wait_seconds: 5 });
      expect([status, body]).toEqual([200, [expect.anything()]]);
      return body as [{ attempt: number; execution: { id: string } }];
    });
    expect(lease).toMatchObject({ attempt: 1, execution: { id } });

    await redis.kill();
    expect((await send(`/workers/${workerId}/poll`, { wait_seconds: 0 })).status).toBe(503);
  });
});
