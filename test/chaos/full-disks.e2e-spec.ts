import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@app/testing';
import { FollowedLoad } from '../support/followed-load.js';
import { call } from '../support/http.js';
import { isLongForm } from '../support/long-form.js';
import { Platform, type PlatformOptions } from '../support/platform.js';
import { Scenario } from '../support/scenario.js';
import { canMount } from '../support/small-disk.js';
import { StoreOnDisk, type PostgresPart } from '../support/stores-on-disk.js';

type Json = Record<string, unknown>;

const ENV = { DEFAULT_MODEL: 'development-model', RECONCILE_INTERVAL_MS: '500', LEASE_HEARTBEATS: '0.5' };
const RUN = '[[pace 20ms]] [[tokens 20]]';
/** Bytes that PostgreSQL cannot compress, so that each execution needs space. */
const FILLING_BYTES = 30_000;
const MAX_OPEN = 20;
const ACCEPTED = 5;
const UNAVAILABLE = '503 store_unavailable';
const PARTS: readonly PostgresPart[] = ['cluster/base', 'cluster/pg_wal', ...(isLongForm ? ['cluster' as const] : [])];

/** A file system can be mounted by root, outside a container without further rights. */
const onSmallDisks = canMount() ? describe : describe.skip;

/** The requests of a user, and what was refused: `status code`. */
class Requests {
  readonly refusals = new Set<string>();
  private agentId = '';
  private queueId = '';

  private constructor(
    private readonly platform: Platform,
    private readonly user: Scenario,
  ) {}

  static async start(options: PlatformOptions): Promise<Requests> {
    const platform = await Platform.start({ modelGateway: true, ...options, env: ENV });
    const requests = new Requests(platform, new Scenario(platform));
    requests.agentId = await requests.user.newAgent();
    requests.queueId = await requests.user.newQueue('full');
    await platform.startWorker({ WORKER_QUEUE: requests.queueId, WORKER_CONCURRENCY: '4' });
    return requests;
  }

  /** Starts executions continuously; while `isDown`, also if those that are open do not end. */
  load(isDown: () => boolean): FollowedLoad {
    return new FollowedLoad({
      width: 3,
      until: this.platform.stopped,
      maxOpen: MAX_OPEN,
      isDown,
      sql: (text) => this.platform.sql(text),
      start: (n) => this.execute(`${RUN} ${n} ${randomBytes(FILLING_BYTES).toString('base64')}`),
      follow: (id) => this.user.follow(id),
    });
  }

  async execute(prompt: string): Promise<string> {
    const body = { prompt, worker_queue_id: this.queueId };
    return String((await this.send('POST', `/api/v1/agents/${this.agentId}/execute`, body))['execution_id']);
  }

  publish(executionId: string): Promise<Json> {
    return this.send('POST', `/api/v1/executions/${executionId}/events`, { event_type: 'tick', data: {} });
  }

  /** Reads from the lists and the resources that the load changes. */
  async read(executionId: string): Promise<void> {
    const paths = ['executions', `executions/${executionId}`, `agents/${this.agentId}`, 'agents', 'projects'];
    await Promise.all(paths.map((path) => this.send('GET', `/api/v1/${path}`)));
  }

  async readiness(): Promise<Json> {
    const { status, body } = await call('GET', `${this.platform.url}/api/health/ready`);
    return { status, ...((body as Json)['checks'] as Json) };
  }

  /** Expects that all processes still run and that the platform works again without any of them being restarted. */
  async end(load: FollowedLoad): Promise<void> {
    await eventually(async () => expect(await this.readiness()).toMatchObject({ status: 200 }));
    await load.resumes();
    await load.accepts(ACCEPTED);
    await load.end();
    const running = [...this.platform.controlPlanes, ...this.platform.workers];
    expect(running.map(({ process }) => process.running)).toEqual(running.map(() => true));
  }

  async stop(): Promise<void> {
    await this.platform.stop();
  }

  private async send(method: string, path: string, body?: Json): Promise<Json> {
    const url = `${this.platform.url}${path}`;
    const response = await call(method, url, { key: this.platform.adminKey, body, unchecked: true });
    if (response.status < 300) return response.body as Json;
    const refusal = `${response.status} ${response.headers.get('x-error-code')}`;
    this.refusals.add(refusal);
    throw new Error(`${method} ${path}: ${refusal}`);
  }
}

onSmallDisks.each(PARTS)('a PostgreSQL whose %s is on a full disk', (part) => {
  let postgres: StoreOnDisk;
  let requests: Requests;

  beforeAll(async () => {
    postgres = await StoreOnDisk.postgres(part);
    requests = await Requests.start({ databaseUrl: postgres.url });
  });

  afterAll(async () => {
    await requests.stop();
    await postgres.remove();
  });

  it('fails writes with a named error, loses nothing that was acknowledged, and is used again when there is space', async () => {
    let isFull = false;
    const load = requests.load(() => isFull);
    await load.accepts(ACCEPTED);
    isFull = true;
    postgres.fill();
    await eventually(() => expect(load.ledger.unacknowledged).toBeGreaterThan(MAX_OPEN));
    // A server that cannot write its log ends.
    const down = part === 'cluster/pg_wal' ? { postgres: 'down' } : { postgres: 'up', writes: 'down' };
    await eventually(async () => expect(await requests.readiness()).toMatchObject({ status: 503, ...down }));
    if (part !== 'cluster/pg_wal') await requests.read(load.ledger.acknowledged[0] ?? '');
    await postgres.free();
    isFull = false;
    await requests.end(load);
    expect([...requests.refusals]).toEqual([UNAVAILABLE]);
  });
});

onSmallDisks.each(['everysec', 'always'])('a Redis with `appendfsync %s` on a full disk', (policy) => {
  let redis: StoreOnDisk;
  let requests: Requests;

  beforeAll(async () => {
    redis = await StoreOnDisk.redis([`appendfsync ${policy}`]);
    requests = await Requests.start({ redisUrl: redis.url });
  });

  afterAll(async () => {
    await requests.stop();
    await redis.remove();
  });

  it('fails events with a named error, accepts starts, and is used again when there is space', async () => {
    const load = requests.load(() => false);
    await load.accepts(ACCEPTED);
    const [running = ''] = load.ledger.acknowledged;
    redis.fill();
    await eventually(async () => {
      await expect(requests.publish(running)).rejects.toThrow(UNAVAILABLE);
      expect(await requests.readiness()).toMatchObject({ status: 503, postgres: 'up', writes: 'up', queue: 'down' });
    });
    await requests.read(running);
    // The load stops when its limit of open executions is reached.
    await requests.execute('accepted while Redis is full');
    await redis.free();
    await requests.end(load);
    expect(load.ledger.unacknowledged).toBe(0);
    expect([...requests.refusals]).toEqual([UNAVAILABLE]);
  });
});
