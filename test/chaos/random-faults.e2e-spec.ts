import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { unwrap } from '@app/api-client';
import { eventually } from '@app/testing';
import type { NatsServer } from '../../tools/provision/nats.js';
import type { PostgresServer } from '../../tools/provision/postgres.js';
import type { RedisServer } from '../../tools/provision/redis.js';
import { doubledOf, lostOf, missedOf, random } from '../support/chaos.js';
import { appVictim, inflictFaults, natsVictim, postgresVictim, redisVictim } from '../support/faults.js';
import { FencedWorker } from '../support/fenced-worker.js';
import { call, type CallOptions, type HttpResponse } from '../support/http.js';
import { requestContinuously, type Ledger } from '../support/ledger.js';
import { sizeOf } from '../support/long-form.js';
import { readMessageIds } from '../support/nats-stream.js';
import { startOwnNats, startOwnPostgres, startOwnRedis, type OwnServer } from '../support/own-stores.js';
import { Platform } from '../support/platform.js';
import { betweenGaps, findOrderViolations, ofType, Scenario, type EventReader } from '../support/scenario.js';

/** In the long form, one fault of each type on each kind of victim; `npm run chaos` sets a higher number. */
const FAULTS = Number(process.env['CHAOS_FAULTS'] ?? sizeOf({ short: 4, long: 12 }));
/** Sufficient for a machine on which every fault takes ten times as long as usual. */
const TIMEOUT_MS = FAULTS * 40_000 + 1_200_000;
/** The schedules start more runs during the faults than a slow machine can complete in that time. */
const DRAIN_MS = 900_000;
/** Enough that every process dies with work in progress. */
const MAX_WAITING = 30;
/** Requests that the load sends at the same time. */
const LOOPS = 3;
/** Longer than any run of this test. */
const HOUR_MS = 3_600_000;
/** Every outage may cost an attempt. */
const RETRIES = { retry_policy: { max_attempts: 50 } };
/** Attempts that end with a reported failure are retried too, after a delay during which processes die. */
const DELAYED_RETRIES = {
  retry_policy: {
    ...RETRIES.retry_policy,
    retry_on: ['failed', 'lost'],
    backoff: { type: 'fixed', delay_seconds: 2 },
  },
};

interface StoredRun {
  readonly id: string;
  readonly job_id: string;
  readonly status: string;
  readonly prompt: string;
  readonly response: string | null;
  readonly completed_at: Date | null;
}

interface Load {
  readonly ledger: Ledger<string>;
  /**
   * Ends the load and returns the acknowledged executions, those with an `Idempotency-Key` after they were repeated
   * once more.
   */
  stop(): Promise<string[]>;
}

/** Number of attempts that the workers reported as failed, so that they were retried. */
function failuresOf(workers: readonly FencedWorker[]): number {
  return workers.reduce((sum, { failed }) => sum + failed, 0);
}

describe('random deaths and freezes of every process and store', () => {
  let redis: OwnServer<RedisServer>;
  let postgres: OwnServer<PostgresServer>;
  let nats: OwnServer<NatsServer>;
  let platform: Platform;
  let user: Scenario;
  let other: Scenario;
  let agentId: string;
  const stopping = new AbortController();
  /** Responses by status. A 500 is always a fault of the platform, even if processes have died. */
  const statuses = new Map<number, number>();
  const readers = new Map<string, EventReader>();
  const finals = new Map<string, StoredRun>();

  beforeAll(async () => {
    [redis, postgres, nats] = await Promise.all([startOwnRedis(), startOwnPostgres(), startOwnNats()]);
    platform = await Platform.start({
      controlPlanes: 2,
      dispatchers: 2,
      modelGateway: true,
      redisUrl: redis.server.url,
      databaseUrl: postgres.server.url,
      env: {
        DEFAULT_MODEL: 'development-model',
        NATS_URL: nats.server.url,
        RECONCILE_INTERVAL_MS: '100',
        LEASE_HEARTBEATS: '0.2',
        LEASE_CONFIRM_MS: '5000',
      },
    });
    user = new Scenario(platform);
    other = new Scenario(platform, { url: platform.controlPlanes[1]?.url ?? '' });
    agentId = await user.newAgent();
  });

  afterAll(async () => {
    stopping.abort();
    await platform.stop();
    await Promise.all([redis.remove(), postgres.remove(), nats.remove()]);
  });

  /** Sends a request to one of the control planes. */
  async function send(method: string, path: string, options: CallOptions = {}): Promise<HttpResponse> {
    const { url } = platform.controlPlanes[Math.random() < 0.5 ? 0 : 1] ?? { url: '' };
    const response = await call(method, `${url}/api/v1${path}`, {
      key: platform.adminKey,
      unchecked: true,
      ...options,
    });
    statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1);
    return response;
  }

  async function trigger(jobId: string, prompt: string, headers: Record<string, string> = {}): Promise<string> {
    const response = await send('POST', `/jobs/${jobId}/trigger`, { body: { parameters: { prompt } }, headers });
    expect(response.status).toBe(200);
    return (response.body as { execution_id: string }).execution_id;
  }

  const runsOf = (jobIds: readonly string[]): Promise<StoredRun[]> =>
    platform.sql<StoredRun>(
      'SELECT id, job_id, status, prompt, response, completed_at FROM executions WHERE job_id = ANY($1)',
      [jobIds],
    );

  /** Returns the executions whose trace has no span of the execution or none of its last attempt. */
  const untracedOf = (jobIds: readonly string[]): Promise<{ id: string }[]> =>
    platform.sql<{ id: string }>(
      `SELECT id FROM executions e WHERE job_id = ANY($1) AND NOT (
        EXISTS (SELECT FROM spans WHERE trace_id = split_part(e.traceparent, '-', 2)
          AND span_id = split_part(e.traceparent, '-', 3))
        AND EXISTS (SELECT FROM spans WHERE trace_id = split_part(e.traceparent, '-', 2)
          AND name = 'attempt ' || e.attempt))`,
      [jobIds],
    );

  /** Records final states. A state that differs from the recorded one is a violation. */
  async function changedFinals(jobIds: readonly string[]): Promise<unknown[]> {
    const ended = (await runsOf(jobIds)).filter(({ completed_at }) => completed_at !== null);
    return ended.flatMap((run) => {
      const before = finals.get(run.id);
      finals.set(run.id, before ?? run);
      const same = before === undefined || JSON.stringify(before) === JSON.stringify(run);
      return same ? [] : [{ before, after: run }];
    });
  }

  async function mayContinue(jobIds: readonly string[]): Promise<boolean> {
    const open = (await runsOf(jobIds)).filter(({ completed_at }) => completed_at === null);
    return open.length < MAX_WAITING;
  }

  /**
   * Disables a schedule, waits until all its past instants have started, and returns the instants of its runs, in
   * seconds.
   */
  async function stopSchedule(jobId: string): Promise<number[]> {
    await eventually(async () => expect((await send('POST', `/jobs/${jobId}/disable`)).status).toBe(200));
    await eventually(async () => {
      const open = 'SELECT 1 FROM job_instants WHERE job_id = $1 AND due_at IS NOT NULL';
      expect(await platform.sql(open, [jobId])).toEqual([]);
    });
    const query = { params: { path: { job_id: jobId }, query: { limit: 1000 } } };
    const { executions } = await unwrap(user.client.GET('/api/v1/jobs/{job_id}/executions', query));
    return executions.map(({ trigger_metadata }) => Date.parse(String(trigger_metadata['scheduled_at'])) / 1000);
  }

  /** Starts the continuous load of clients. */
  function startLoad(jobId: string, fencedJobId: string): Load {
    const until = platform.stopped;
    const limit = (): Promise<boolean> => mayContinue([jobId, fencedJobId]).catch(() => false);
    const once = requestContinuously(
      async (n) => {
        const id = await trigger(n % 3 === 0 ? fencedJobId : jobId, `once ${n}`);
        readers.set(id, (n % 2 === 0 ? user : other).follow(id, { timeoutMs: HOUR_MS }));
        return id;
      },
      { width: LOOPS, until, mayContinue: limit },
    );
    // Sent again until it is acknowledged, as a client with an Idempotency-Key should.
    const keyed = (n: number): Promise<string> => trigger(jobId, `keyed ${n}`, { 'Idempotency-Key': `keyed ${n}` });
    const repeated = requestContinuously(async (n) => [n, await eventually(() => keyed(n))] as const, {
      width: 1,
      until,
      mayContinue: limit,
    });
    const stop = async (): Promise<string[]> => {
      const { acknowledged } = await once.stop();
      for (const [n, id] of (await repeated.stop()).acknowledged) {
        expect(await eventually(() => keyed(n))).toBe(id);
        acknowledged.push(id);
      }
      return acknowledged;
    };
    return { ledger: once.ledger, stop };
  }

  it(
    'lose no execution, start nothing twice, miss no instant, change no final state, and keep every stream in order',
    async () => {
      const queueId = await user.newQueue('chaos');
      const fencedQueueId = await user.newQueue('fenced');
      const onQueue = (worker_queue_name: string) => ({ executor_type: 'specific_queue', worker_queue_name }) as const;
      const jobId = await user.newJob(agentId, { ...onQueue('chaos'), config: RETRIES });
      const fencedJobId = await user.newJob(agentId, { ...onQueue('fenced'), config: DELAYED_RETRIES });
      for (const { url } of platform.controlPlanes) {
        await platform.startWorker({ WORKER_QUEUE: queueId, WORKER_CONCURRENCY: '4', CONTROL_PLANE_URL: url });
      }
      const fenced = [1, 2].map(() => new FencedWorker({ queueId: fencedQueueId, send, stopped: stopping.signal }));
      const fencedRuns = fenced.map((worker) => worker.run());
      const schedule = { trigger_type: 'cron', prompt_template: 'Tick', ...onQueue('chaos') } as const;
      const config = { ...RETRIES, catchup_window_seconds: 3600 };
      const secondly = await user.newJob(agentId, { ...schedule, cron_schedule: '* * * * * *', config });
      const thirdly = await user.newJob(agentId, { ...schedule, cron_schedule: '*/3 * * * * *', config });
      const jobs = [jobId, fencedJobId, secondly, thirdly];
      const load = startLoad(jobId, fencedJobId);

      const apps = (name: string, running: readonly { readonly process: Parameters<typeof appVictim>[1] }[]) =>
        running.map(({ process }, index) => appVictim(`${name} ${index + 1}`, process));
      const kinds = [
        apps('control plane', platform.controlPlanes),
        apps('dispatcher', platform.dispatchers),
        apps('worker', platform.workers),
        [redisVictim(redis)],
        [postgresVictim(postgres)],
        [natsVictim(nats)],
      ];
      const changed: unknown[] = [];
      await inflictFaults(FAULTS, kinds, async () => {
        const target = load.ledger.acknowledged.length + 1 + Math.floor(random() * 4);
        await eventually(() => expect(load.ledger.acknowledged.length).toBeGreaterThanOrEqual(target));
        changed.push(...(await changedFinals(jobs).catch(() => [])));
      });
      // Waits for runs that the load starts after the last fault: Redis still has their events at the end.
      const last = load.ledger.acknowledged.length + LOOPS + 1;
      await eventually(() => expect(load.ledger.acknowledged.length).toBeGreaterThanOrEqual(last));
      await eventually(() => expect(failuresOf(fenced)).toBeGreaterThan(0));
      const acknowledged = await load.stop();
      const instants = [await stopSchedule(secondly), await stopSchedule(thirdly)];

      const stored = await eventually(async () => {
        const rows = await runsOf(jobs);
        expect(rows.filter(({ status }) => status !== 'completed')).toEqual([]);
        return rows;
      }, DRAIN_MS);
      stopping.abort();
      await Promise.all(fencedRuns);
      changed.push(...(await changedFinals(jobs)));

      const ids = stored.map(({ id }) => id);
      expect(lostOf(acknowledged, ids)).toEqual([]);
      expect(doubledOf(stored.flatMap(({ prompt }) => (prompt === 'Tick' ? [] : [prompt])))).toEqual([]);
      expect(doubledOf(acknowledged)).toEqual([]);
      for (const [index, seconds] of instants.entries()) {
        expect(doubledOf(seconds)).toEqual([]);
        expect(missedOf(seconds, index === 0 ? 1 : 3)).toEqual([]);
      }
      expect(changed).toEqual([]);
      const responses = new Map(stored.map(({ id, response }) => [id, response]));
      for (const { acknowledged: finalWrites } of fenced) {
        for (const [id, written] of finalWrites) expect([id, [...written]]).toEqual([id, [responses.get(id)]]);
      }
      for (const id of jobs) {
        const total = stored.filter((run) => run.job_id === id).length;
        const counts = { total_executions: total, successful_executions: total, failed_executions: 0 };
        expect(await user.job(id)).toMatchObject(counts);
      }
      await eventually(async () => expect(await platform.sql('SELECT topic FROM outbox')).toEqual([]));
      expect(await untracedOf(jobs)).toEqual([]);
      for (const [id, reader] of readers) {
        const events = await reader.done;
        expect(findOrderViolations(events)).toEqual([]);
        expect(events.at(-1)).toMatchObject({ event: 'done', data: { execution_id: id, status: 'completed' } });
        for (const part of betweenGaps(events)) {
          const ends = ofType(part, 'status').filter(({ data }) => data['status'] === 'completed');
          expect(ends.length).toBeLessThanOrEqual(1);
        }
      }
      // Redis loses logs, but the events that it still has reach every provider.
      const kept = await Promise.all([...readers.keys()].map((id) => user.readEvents(id)));
      const keptIds = kept.flat().flatMap(({ id }) => id ?? []);
      expect(keptIds.length).toBeGreaterThan(0);
      await eventually(async () => {
        const passedOn = await readMessageIds(nats.server.url);
        const found = new Set(passedOn);
        expect(keptIds.filter((id) => !found.has(id))).toEqual([]);
        expect(new Set(passedOn).size).toBe(passedOn.length);
      });
      expect(statuses.get(500)).toBeUndefined();
      const running = [...platform.controlPlanes, ...platform.dispatchers, ...platform.workers];
      expect(running.filter(({ process }) => !process.running)).toEqual([]);
    },
    TIMEOUT_MS,
  );
});
