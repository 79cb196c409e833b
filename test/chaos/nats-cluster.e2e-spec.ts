import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@app/testing';
import { provisionNatsCluster, type NatsCluster } from '../../tools/provision/nats-cluster.js';
import type { NatsServer } from '../../tools/provision/nats.js';
import { losses, LOSSES_TIMEOUT_MS, recordKill, recordPause } from '../support/chaos.js';
import { call } from '../support/http.js';
import { FollowedLoad } from '../support/followed-load.js';
import { sizeOf } from '../support/long-form.js';
import { readLastId, readMessageIds, STREAM } from '../support/nats-stream.js';
import { Platform } from '../support/platform.js';
import { Scenario } from '../support/scenario.js';

/** Leaders of the stream that are killed, one after another. */
const LOSSES = sizeOf({ short: 1, long: 3 });
const RUN = '[[pace 20ms]] [[tokens 10]]';
const WIDTH = 2;
const MAX_OPEN = 10;

describe('a platform on a NATS cluster of three servers', () => {
  const folder = mkdtempSync(join(tmpdir(), 'nats-cluster-'));
  let nats: NatsCluster;
  let platform: Platform;
  let user: Scenario;

  beforeAll(async () => {
    nats = await provisionNatsCluster(folder);
    platform = await Platform.start({
      modelGateway: true,
      env: {
        DEFAULT_MODEL: 'development-model',
        RECONCILE_INTERVAL_MS: '500',
        NATS_URL: nats.url,
        NATS_STREAM_REPLICAS: '3',
      },
    });
    user = new Scenario(platform);
  });

  afterAll(async () => {
    await platform.stop();
    await nats.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const leader = (): Promise<NatsServer> =>
    eventually(async () => {
      const server = await nats.leaderOf(STREAM);
      expect(server?.pid).toEqual(expect.any(Number));
      return server as NatsServer;
    });

  const busHealth = async (): Promise<unknown> => {
    const { body } = await call('GET', `${platform.url}/api/health/event-bus`);
    return (body as { providers: { nats: { status: string } } }).providers.nats.status;
  };

  /** Resolves when NATS has the last event of an execution that starts now. */
  async function expectPassedOn(agentId: string, queueId: string): Promise<void> {
    const id = await user.execute(agentId, RUN, queueId);
    const last = (await user.readEvents(id)).at(-1)?.id;
    expect(last).toEqual(expect.any(String));
    await eventually(async () => expect(await readLastId(nats.url, id)).toBe(last));
  }

  it(
    'keeps its stream on all of them, and loses no execution and no event while leaders are killed under load',
    async () => {
      const agentId = await user.newAgent();
      const queueId = await user.newQueue('clustered');
      await platform.startWorker({ WORKER_QUEUE: queueId, WORKER_CONCURRENCY: '8' });
      await expectPassedOn(agentId, queueId);
      await nats.waitUntilReplicated(STREAM);
      const ids: string[] = [];
      const load = new FollowedLoad({
        width: WIDTH,
        until: platform.stopped,
        maxOpen: MAX_OPEN,
        sql: (text) => platform.sql(text),
        start: () => user.execute(agentId, RUN, queueId),
        follow: (id) => user.follow(id),
      });
      load.onRead = (events) => ids.push(...events.flatMap(({ id }) => id ?? []));
      for (const loss of losses(LOSSES)) {
        await load.accepts(WIDTH);
        const killed = await leader();
        recordKill();
        await killed.kill('SIGKILL');
        const killedAt = performance.now();
        await eventually(async () => expect([killed, undefined]).not.toContain(await nats.leaderOf(STREAM)));
        const electedAt = performance.now();
        await expectPassedOn(agentId, queueId);
        const [elected, pause] = [electedAt - killedAt, performance.now() - electedAt].map(Math.round);
        recordPause(pause ?? 0);
        process.stderr.write(
          `NATS has leader ${loss + 2} ${elected} ms after the former was killed, and goes on ${pause} ms later\n`,
        );
        await eventually(async () => expect(await busHealth()).toBe('healthy'));
        await killed.restart();
        await nats.waitUntilReplicated(STREAM);
      }
      await load.end();
      // NATS is not needed to accept executions, or to read their events.
      expect([load.ledger.unacknowledged, load.gaps]).toEqual([0, 0]);
      await eventually(async () => {
        const passedOn = await readMessageIds(nats.url);
        const found = new Set(passedOn);
        expect(ids.filter((id) => !found.has(id))).toEqual([]);
        expect(passedOn).toHaveLength(found.size);
      });
    },
    LOSSES_TIMEOUT_MS,
  );
});
