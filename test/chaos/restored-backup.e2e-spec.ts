import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { AnyEvent } from '@app/api-client';
import { eventually } from '@app/testing';
import type { Program } from '../../tools/provision/programs.js';
import type { RedisServer } from '../../tools/provision/redis.js';
import { BusyPlatform, type Content, type StoredDelivery, type StoredRun } from '../support/busy-platform.js';
import { doubledOf, lostOf, missedOf } from '../support/chaos.js';
import { isLongForm, sizeOf } from '../support/long-form.js';
import { startOwnRedis, type OwnServer } from '../support/own-stores.js';
import { Platform } from '../support/platform.js';
import { postgresWithClients, RestorablePostgres, type BackupKind } from '../support/restorable-postgres.js';
import { dataOf, findOrderViolations, ofType, type EventReader } from '../support/scenario.js';
import { Subscriber } from '../support/subscriber.js';

/** Acknowledged starts before the backup, and after it. */
const ACKNOWLEDGED = sizeOf({ short: 10, long: 200 });
/** The runs of the load take two cores about a minute, and more beside other tests. */
const ACKNOWLEDGED_WITHIN_MS = 400_000;
/** Deliveries that fail before the backup are due soon after the restore. The most delays that can be set. */
const RETRY_DELAYS = ['0', ...Array.from({ length: 19 }, () => '10')].join(',');

/** Returns what was said: a message is in the history of a stream and, for an hour, among its events. */
const messagesIn = (events: readonly AnyEvent[]): unknown[] =>
  ofType(events, 'message')
    .map(dataOf)
    .map(({ role, content, message_id }) => ({ role, content, message_id }));
const lastIdIn = (events: readonly AnyEvent[]): string => String(events.findLast(({ id }) => id !== undefined)?.id);

const describeBackups = postgresWithClients === undefined ? describe.skip : describe;

/** The short form takes the kind that costs less. */
const KINDS: readonly BackupKind[] = isLongForm ? ['pg_dump', 'pg_basebackup'] : ['pg_dump'];

describeBackups.each(KINDS)('a backup that %s has taken under load', (kind) => {
  let postgres: RestorablePostgres;
  let redis: OwnServer<RedisServer>;
  let platform: Platform;
  let subscriber: Subscriber;
  let busy: BusyPlatform;
  let content: Content & { readonly running: string; readonly retried: string };
  /** Acknowledged before the backup. */
  let acknowledged: readonly string[];
  /** What the backup contains. */
  let known: ReadonlyMap<string, StoredRun>;
  let knownDeliveries: readonly StoredDelivery[];
  /** The key and the run that the backup does not contain, and the last event ids of streams of the lost time. */
  let lost: {
    readonly key: string;
    readonly run: string;
    readonly ids: { readonly run: string; readonly asking: string };
  };
  /** What clients have read before. */
  let past: { readonly spans: readonly unknown[]; readonly messages: readonly unknown[] };
  /** Follows a run from before the backup until its end. */
  let reader: EventReader;
  let receivedBefore: number;

  beforeAll(async () => {
    [postgres, redis, subscriber] = await Promise.all([
      RestorablePostgres.start(postgresWithClients as Program),
      startOwnRedis(),
      Subscriber.start(),
    ]);
    platform = await Platform.start({
      modelGateway: true,
      platformApi: true,
      databaseUrl: postgres.url,
      redisUrl: redis.server.url,
      env: {
        DEFAULT_MODEL: 'development-model',
        RECONCILE_INTERVAL_MS: '500',
        LEASE_HEARTBEATS: '0.5',
        WEBHOOK_RETRY_DELAYS: RETRY_DELAYS,
      },
    });
    busy = new BusyPlatform(platform, subscriber);
    const backup = await fillAndBackUp();
    await loseAll();
    await postgres.restore(backup);
    known = new Map((await busy.runs()).map((run) => [run.id, run]));
    knownDeliveries = await busy.deliveries();
    subscriber.on('/failing', (response) => response.writeHead(204).end());
    receivedBefore = subscriber.received.length;
    // The worker of before goes on.
    await platform.controlPlanes[0]?.process.start();
    await platform.startWorker({ WORKER_QUEUE: 'unserved' });
  }, 900_000);

  afterAll(async () => {
    await platform.stop();
    await Promise.all([postgres.remove(), redis.remove(), subscriber.stop()]);
  });

  /** Starts what outlives the backup and what follows it, and takes it in between. */
  async function fillAndBackUp(): ReturnType<RestorablePostgres['backUp']> {
    const filled = await busy.fill();
    const { user } = busy;
    const spans = await eventually(async () => {
      const found = await busy.spansOf(filled.ended);
      expect(found.map(({ name }) => name)).toContainEqual(expect.stringMatching(/^execution /));
      return found;
    });
    past = { spans, messages: messagesIn(await user.readEvents(filled.ended)) };
    const { ledger, stop } = busy.load(filled.jobId);
    const acknowledge = (count: number): Promise<void> =>
      eventually(() => expect(ledger.acknowledged.length).toBeGreaterThanOrEqual(count), ACKNOWLEDGED_WITHIN_MS);
    await acknowledge(ACKNOWLEDGED);
    await eventually(async () => {
      const stored = (await busy.deliveries()).map(({ path, status }) => `${path} ${status}`);
      expect(stored).toEqual(expect.arrayContaining(['/healthy delivered', '/failing pending']));
    });
    const running = await busy.startLong(filled.agentId);
    reader = user.follow(running, { timeoutMs: 600_000 });
    await reader.waitFor('message_chunk');
    content = { ...filled, running, retried: await busy.startRetried(filled.agentId) };
    acknowledged = [...ledger.acknowledged];
    const backup = await postgres.backUp(kind);
    await acknowledge(ledger.acknowledged.length + ACKNOWLEDGED);
    const run = await busy.start(filled.agentId, 'Of the lost time');
    await busy.answer(filled.asking);
    const events = await Promise.all([run, filled.asking].map((id) => user.follow(id).done));
    const [ofRun = '', ofAsking = ''] = events.map(lastIdIn);
    lost = { key: await busy.newKey('after'), run, ids: { run: ofRun, asking: ofAsking } };
    expect(await busy.statusWith(lost.key)).toBe(200);
    await stop();
    return backup;
  }

  /** The hosts of the control plane and of both stores are lost. */
  async function loseAll(): Promise<void> {
    await platform.controlPlanes[0]?.process.kill('SIGKILL');
    await postgres.lose();
    await redis.server.restart({ wipe: true });
  }

  it('contains what was acknowledged before it, and nothing later', () => {
    expect(lostOf(acknowledged, known.keys())).toEqual([]);
    const { asking, turns, queued, running, retried, ended } = content;
    const statuses = [ended, asking, queued, running, retried, ...turns].map((id) => known.get(id)?.status);
    expect(statuses).toEqual([
      'completed',
      'waiting_for_input',
      'pending',
      'running',
      'pending',
      'waiting_for_input',
      'pending',
      'pending',
    ]);
    expect(known.has(lost.run)).toBe(false);
  });

  it('lets streams begin again at a gap if they continue from an event of the lost time', async () => {
    const { asking } = content;
    const stream = busy.user.follow(asking, { lastEventId: lost.ids.asking });
    await stream.waitFor('gap_detected');
    const ofLostRun = await busy.request('GET', `/executions/${lost.run}/stream`, {
      key: platform.adminKey,
      headers: { 'Last-Event-ID': lost.ids.run },
    });
    expect(ofLostRun.status).toBe(404);
    await busy.answer(asking);
    const events = await stream.done;
    expect(findOrderViolations(events)).toEqual([]);
    expect(events.at(-1)).toMatchObject({ event: 'done', data: { status: 'completed' } });
  });

  it('continues all that had not ended, each turn of a session after the one before', async () => {
    const { turns, retried } = content;
    await busy.answer(turns[0]);
    const open = [...known.values()].filter(({ status }) => !['completed', 'failed'].includes(status));
    expect(open.map(({ id }) => id)).toEqual(
      expect.arrayContaining([content.asking, content.queued, content.running, retried, ...turns]),
    );
    for (const { id } of open) {
      const { status } = await busy.user.waitUntilEnded(id);
      expect([id, status]).toEqual([id, id === retried ? 'failed' : 'completed']);
    }
    expect((await busy.user.execution(turns[1])).response).toContain('The blue one');
    const followed = await reader.done;
    expect(findOrderViolations(followed)).toEqual([]);
    expect(followed.at(-1)).toMatchObject({ event: 'done', data: { status: 'completed' } });
  });

  it('starts each instant of a schedule once, those before it not again', async () => {
    const instantsOf = (runs: Iterable<StoredRun>): number[] =>
      [...runs].flatMap(({ instant }) => (instant === null ? [] : [instant]));
    const last = Math.max(...instantsOf(known.values()));
    const instants = await eventually(async () => {
      const found = instantsOf(await busy.runs());
      expect(Math.max(...found)).toBeGreaterThan(last);
      expect(missedOf(found, 1)).toEqual([]);
      return found;
    });
    expect(doubledOf(instants)).toEqual([]);
    expect(Math.min(...instants)).toBe(Math.min(...instantsOf(known.values())));
  });

  it('repeats no delivery that had succeeded, and continues the others', async () => {
    const ofStatus = (wanted: string): string[] =>
      knownDeliveries.filter(({ status }) => status === wanted).map(({ id }) => id);
    const [delivered, pending] = [ofStatus('delivered'), ofStatus('pending')];
    const received = (): string[] =>
      subscriber.received.slice(receivedBefore).map(({ headers }) => String(headers['webhook-id']));
    await eventually(() => expect(received()).toEqual(expect.arrayContaining(pending)));
    expect(delivered.filter((id) => received().includes(id))).toEqual([]);
    expect([delivered.length > 0, pending.length > 0]).toEqual([true, true]);
  });

  it('has its keys, traces, messages and counts', async () => {
    const { ended, key, jobId, agentId } = content;
    expect([await busy.statusWith(key), await busy.statusWith(lost.key)]).toEqual([200, 401]);
    expect(await busy.spansOf(ended)).toEqual(expect.arrayContaining([...past.spans]));
    const history = await busy.user.readEvents(ended);
    expect(messagesIn(history)).toEqual(expect.arrayContaining([...past.messages]));
    expect(history.at(-1)?.event).toBe('done');
    const { total_executions } = await busy.user.job(jobId);
    const ofJob = await platform.sql('SELECT 1 FROM executions WHERE job_id = $1', [jobId]);
    expect(total_executions).toBe(ofJob.length);
    const next = await busy.start(agentId, 'After the restore');
    expect(await busy.user.waitUntilEnded(next)).toMatchObject({ status: 'completed' });
  });
});
