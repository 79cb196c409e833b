import { expect } from '@jest/globals';
import { unwrap } from '@app/api-client';
import { eventually } from '@app/testing';
import { Redis } from 'ioredis';
import { recordFreeze, recordKill } from './chaos.js';
import { FollowedLoad } from './followed-load.js';
import { call } from './http.js';
import { series } from './metrics.js';
import { Platform, type PlatformOptions } from './platform.js';
import { findOrderViolations, ofType, Scenario } from './scenario.js';
import { Subscriber } from './subscriber.js';
import type { RedisServer } from '../../tools/provision/redis.js';

/** A run of about a second. */
const STREAMED_RUN = '[[pace 20ms]] [[tokens 50]]';
const RUNS = 3;
const WIDTH = 4;
const CONCURRENCY = 8;
/** Enough that the worker always has a next one. What is left at the end has to be run, on a machine that can be slow. */
const MAX_BACKLOG = 2 * CONCURRENCY;

/** A platform with two control planes and two platform APIs, whose Redis the test provides. */
export function startOnRedis(redisUrl: string, options: Omit<PlatformOptions, 'redisUrl'> = {}): Promise<Platform> {
  return Platform.start({
    controlPlanes: 2,
    platformApi: 2,
    modelGateway: true,
    redisUrl,
    ...options,
    env: { DEFAULT_MODEL: 'development-model', RECONCILE_INTERVAL_MS: '500', ...options.env },
  });
}

/** Uses everything that the platform keeps in Redis, and expects each part to work. */
export async function useAllOfRedis(platform: Platform): Promise<void> {
  const subscriber = await Subscriber.start();
  try {
    const user = new Scenario(platform);
    const elsewhere = new Scenario(platform, { url: platform.controlPlanes[1]?.url ?? '' });
    await unwrap(user.client.POST('/api/v1/webhooks', { body: { url: subscriber.url('/all') } }));
    const agentId = await user.newAgent();
    const queueId = await user.newQueue('journey');
    await platform.startWorker({ WORKER_QUEUE: queueId, WORKER_CONCURRENCY: String(RUNS) });
    const runs = await Promise.all(Array.from({ length: RUNS }, () => user.execute(agentId, STREAMED_RUN, queueId)));
    const readers = runs.map((id, index) => (index === 0 ? user : elsewhere).follow(id));
    await expectTicketAndCancellation(user, agentId);
    await expectInstant(user, agentId);
    await expectSharedLimits(platform);
    for (const [index, { done }] of readers.entries()) {
      const events = await done;
      expect(findOrderViolations(events)).toEqual([]);
      expect(ofType(events, 'gap_detected')).toEqual([]);
      const { response } = await user.execution(runs[index] ?? '');
      expect(events.at(-1)).toMatchObject({ event: 'done', data: { response } });
    }
    await eventually(() => {
      const ended = subscriber.at('/all').filter(({ event }) => event.type === 'done');
      expect(ended.map(({ event }) => event.data['execution_id'])).toEqual(expect.arrayContaining(runs));
    });
  } finally {
    await subscriber.stop();
  }
}

/** A pending execution, whose stream is opened with a ticket, is cancelled. */
async function expectTicketAndCancellation(user: Scenario, agentId: string): Promise<void> {
  const id = await user.execute(agentId, 'Never taken', await user.newQueue('without-a-worker'));
  const reader = user.follow(id);
  const params = { path: { execution_id: id } };
  const { ticket } = await unwrap(user.client.POST('/api/v1/executions/{execution_id}/stream-ticket', { params }));
  expect(ticket).toEqual(expect.any(String));
  expect(await user.cancel(id)).toMatchObject({ status: 'cancelled' });
  expect((await reader.done).at(-1)).toMatchObject({ event: 'done', data: { status: 'cancelled' } });
}

/** A job that is due every second starts. */
async function expectInstant(user: Scenario, agentId: string): Promise<void> {
  const cron = { trigger_type: 'cron', cron_schedule: '* * * * * *', prompt_template: 'Tick' } as const;
  const id = await user.newJob(agentId, cron);
  await eventually(async () => expect((await user.job(id)).total_executions).toBeGreaterThanOrEqual(2));
  await unwrap(user.client.DELETE('/api/v1/jobs/{job_id}', { params: { path: { job_id: id } } }));
}

/** All processes count the requests of a key together, in Redis. */
async function expectSharedLimits(platform: Platform): Promise<void> {
  const { adminKey } = await platform.createOrganization('limited');
  const remaining: number[] = [];
  for (const { url } of [...platform.platformApis, ...platform.platformApis]) {
    const { headers } = await call('GET', `${url}/api/v1/auth/me`, { scheme: 'UserKey', key: adminKey });
    remaining.push(Number(headers.get('x-ratelimit-remaining')));
  }
  expect(remaining).toEqual(remaining.map((_each, index) => (remaining[0] ?? Number.NaN) - index));
  for (const { url } of platform.platformApis) {
    const metrics = await (await fetch(`${url}/metrics`)).text();
    expect(series(metrics, 'platform_rate_limit_local_decisions_total', {})).toBe(0);
  }
}

type Loss = 'killed' | 'frozen' | 'behind';

/** How primaries are lost, one after another. */
const LOSSES: readonly Loss[] = ['behind', 'frozen', 'killed'];

/** Executions under load, whose streams are read, while servers are killed. */
export interface RedisLoad {
  /**
   * Kills or freezes a primary until it was replaced, and lets it return. The load goes on until the platform has served
   * it for a while again. Each third time, the primary is killed after its replica has received nothing for a while.
   */
  lose(primary: RedisServer, loss: number, replaced: () => Promise<void>): Promise<void>;
  /** Ends the load; see `FollowedLoad.end`. */
  end(): Promise<void>;
}

/** Prints for how long no execution was accepted, and for how long no stream received events. */
export async function startRedisLoad(platform: Platform): Promise<RedisLoad> {
  const user = new Scenario(platform);
  const elsewhere = new Scenario(platform, { url: platform.controlPlanes[1]?.url ?? '' });
  const agentId = await user.newAgent();
  const queueId = await user.newQueue('loaded');
  await platform.startWorker({ WORKER_QUEUE: queueId, WORKER_CONCURRENCY: String(CONCURRENCY) });
  const [accepted, streamed] = [new Pauses(), new Pauses()];
  const load = new FollowedLoad({
    width: WIDTH,
    until: platform.stopped,
    maxOpen: MAX_BACKLOG,
    sql: (text) => platform.sql(text),
    start: (n) => (n % 2 === 0 ? user : elsewhere).execute(agentId, `[[pace 20ms]] [[tokens 10]] ${n}`, queueId),
    follow: (id, n) => (n % 2 === 0 ? elsewhere : user).follow(id),
  });
  load.onAccepted = () => accepted.seen();
  load.onEvent = () => streamed.seen();
  await load.accepts(WIDTH);
  return {
    lose: async (primary, loss, replaced) => {
      const how = LOSSES[loss % LOSSES.length] ?? 'killed';
      const replica = how === 'behind' ? await detachReplica(primary) : undefined;
      // Not more: sentinels never promote a replica without a primary for ten times the time after which one is down.
      if (replica !== undefined) await load.accepts(1);
      [accepted, streamed].forEach((pauses) => pauses.reset());
      const began = performance.now();
      if (how === 'frozen') {
        recordFreeze();
        process.kill(primary.pid, 'SIGSTOP');
      } else {
        recordKill();
        await primary.kill('SIGKILL');
      }
      await replaced();
      const failover = Math.round(performance.now() - began);
      const resumed = await load.resumes();
      await load.accepts(WIDTH);
      await replica?.attach();
      if (how === 'frozen') process.kill(primary.pid, 'SIGCONT');
      else await primary.restart();
      await load.accepts(WIDTH);
      const [starts, streams] = [accepted.longest(), streamed.longest()];
      process.stderr.write(
        `primary ${how}, replaced after ${failover} ms, serves after ${resumed} ms: no start for ${starts} ms, no event for ${streams} ms\n`,
      );
    },
    end: async () => {
      await load.end();
      const { acknowledged, unacknowledged } = load.ledger;
      const counts = `${acknowledged.length} executions, ${unacknowledged} starts failed, ${load.gaps} streams with a gap`;
      process.stderr.write(`${counts}\n`);
    },
  };
}

/** Makes the replica of a primary receive nothing. `attach` lets it follow other primaries again. */
async function detachReplica({ url }: RedisServer): Promise<{ attach(): Promise<void> }> {
  const primary = new Redis(url);
  const [, port] = /^slave0:ip=[^,]*,port=(\d+)/m.exec(await primary.info('replication')) ?? [];
  const ofReplica = Object.assign(new URL(url), { port });
  const replica = new Redis(ofReplica.toString());
  await replica.config('SET', 'masterauth', 'wrong');
  await replica.call('CLIENT', 'KILL', 'TYPE', 'master');
  await eventually(async () => expect(await primary.info('replication')).toContain('connected_slaves:0'));
  primary.disconnect();
  return {
    attach: async () => {
      await replica.config('SET', 'masterauth', ofReplica.password);
      replica.disconnect();
    },
  };
}

/** Measures the longest time between two occurrences. */
class Pauses {
  private last = performance.now();
  private max = 0;

  seen(): void {
    const now = performance.now();
    this.max = Math.max(this.max, now - this.last);
    this.last = now;
  }

  reset(): void {
    [this.last, this.max] = [performance.now(), 0];
  }

  longest(): number {
    return Math.round(this.max);
  }
}
