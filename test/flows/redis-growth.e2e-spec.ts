import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { unwrap } from '@app/api-client';
import { eventually, testRedisUrl } from '@app/testing';
import { Redis } from 'ioredis';
import { jsonClient } from '../../bench/json-client.js';
import { sizeOf } from '../support/long-form.js';
import { Platform } from '../support/platform.js';
import { Scenario } from '../support/scenario.js';

const QUEUES = 8;
/** Number of runs. Each class of keys is compared exactly, so few runs are enough. Ten thousand take a minute. */
const RUNS = Number(process.env['GROWTH_RUNS'] ?? sizeOf({ short: 400, long: 2_000 }));
/**
 * Number of runs before the first measurement, after which every process, queue and follower has its permanent keys.
 */
const WARM_UP = 256;
const CONCURRENCY = 32;

/** Events are kept for an hour, the counter of an execution's events for a day. */
const MAX_TTL_SECONDS = 24 * 3600;
/** The log, its index, its counter, and the `Idempotency-Key`s of its last events. */
const KEYS_PER_EXECUTION = 4;
/** Locks of BullMQ that expire. */
const OTHER_KEYS = 64;
const BYTES_PER_EXECUTION = 4096;
/** Per key: BullMQ trims the stream of its own events to about a hundred entries. */
const VARIATION_BYTES = 16_384;

interface KeyClass {
  readonly keys: number;
  readonly bytes: number;
  /** Maximum expiry of the class; undefined if one of its keys has no expiry. */
  readonly maxTtlSeconds?: number;
}

describe('Redis', () => {
  let platform: Platform;
  let redis: Redis;
  let user: Scenario;
  let queueIds: string[];
  let jobIds: string[];

  beforeAll(async () => {
    platform = await Platform.start({ env: { LOG_LEVEL: 'error', FAIR_SHARE_PER_SECOND: '0' } });
    redis = new Redis(testRedisUrl());
    user = new Scenario(platform);
    const agentId = await user.newAgent();
    const names = Array.from({ length: QUEUES }, (_name, index) => `queue-${index}`);
    queueIds = await Promise.all(names.map((name) => user.newQueue(name)));
    const target = (worker_queue_name: string) => ({ executor_type: 'specific_queue', worker_queue_name }) as const;
    jobIds = await Promise.all(names.map((name) => user.newJob(agentId, target(name))));
  });

  afterAll(async () => {
    redis.disconnect();
    await platform.stop();
  });

  /** Triggers the jobs in turn and cancels each execution that has started, over HTTP. */
  async function triggerAndCancel(count: number): Promise<void> {
    const send = jsonClient(`${platform.url}/api/v1`, { Authorization: `Bearer ${platform.adminKey}` });
    let left = count;
    const runInTurn = async (): Promise<void> => {
      while (left > 0) {
        left -= 1;
        const started = await send<{ execution_id: string }>('POST', `/jobs/${jobIds[left % QUEUES]}/trigger`, {});
        await send('POST', `/executions/${started.execution_id}/cancel`, {});
      }
    };
    await Promise.all(Array.from({ length: CONCURRENCY }, runInTurn));
  }

  /** Resolves when all outbox messages of the writes so far are handled. */
  async function settled(): Promise<void> {
    await eventually(async () => {
      expect(await platform.sql('SELECT id FROM outbox LIMIT 1')).toEqual([]);
    });
  }

  /** Returns number and size of all keys by class: a class is a key without its ids. */
  async function contents(): Promise<Map<string, KeyClass>> {
    const classes = new Map<string, KeyClass>();
    for await (const page of redis.scanStream({ count: 1000 }) as AsyncIterable<string[]>) {
      const looks = redis.pipeline();
      for (const key of page) looks.memory('USAGE', key, 'SAMPLES', 0).ttl(key);
      const answers = ((await looks.exec()) ?? []).map(([, answer]) => Number(answer));
      for (const [index, key] of page.entries()) {
        const [bytes = 0, ttl = -1] = answers.slice(2 * index, 2 * index + 2);
        const found = classes.get(classOf(key)) ?? { keys: 0, bytes: 0, maxTtlSeconds: 0 };
        const mayExpire = ttl !== -1 && found.maxTtlSeconds !== undefined;
        const maxTtlSeconds = mayExpire ? { maxTtlSeconds: Math.max(ttl, found.maxTtlSeconds) } : {};
        classes.set(classOf(key), { keys: found.keys + 1, bytes: found.bytes + bytes, ...maxTtlSeconds });
      }
    }
    return classes;
  }

  it('contains the same keys after thousands of cancelled runs as before, and event logs that expire', async () => {
    await triggerAndCancel(WARM_UP);
    await settled();
    const before = await contents();
    await triggerAndCancel(RUNS);
    await settled();
    const after = await contents();
    let [logKeys, logBytes] = [0, 0];
    for (const [name, { keys, bytes, maxTtlSeconds }] of after) {
      if (maxTtlSeconds === undefined) {
        const held = before.get(name);
        expect([name, keys]).toEqual([name, held?.keys]);
        expect(bytes).toBeLessThan((held?.bytes ?? 0) + keys * VARIATION_BYTES);
      } else {
        expect(maxTtlSeconds).toBeLessThanOrEqual(MAX_TTL_SECONDS);
        logKeys += keys;
        logBytes += bytes;
      }
    }
    expect(logKeys).toBeLessThanOrEqual((WARM_UP + RUNS) * KEYS_PER_EXECUTION + OTHER_KEYS);
    expect(logBytes).toBeLessThan((WARM_UP + RUNS) * BYTES_PER_EXECUTION);
  });

  it('contains no keys of deleted queues', async () => {
    const keysOfQueues = async (): Promise<string[]> => {
      const keys = await redis.keys('*');
      return keys.filter((key) => queueIds.some((id) => key.includes(id)));
    };
    await triggerAndCancel(WARM_UP);
    expect(await keysOfQueues()).not.toEqual([]);
    for (const job_id of jobIds) {
      await unwrap(user.client.POST('/api/v1/jobs/{job_id}/disable', { params: { path: { job_id } } }));
    }
    for (const queue_id of queueIds) {
      await unwrap(user.client.DELETE('/api/v1/worker-queues/{queue_id}', { params: { path: { queue_id } } }));
    }
    await eventually(async () => expect(await keysOfQueues()).toEqual([]));
  });
});

/** Replaces ids: of organizations, executions, queues, processes and messages. */
function classOf(key: string): string {
  return key.replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, '<id>').replaceAll(/\b\d+\b/g, '<n>');
}
