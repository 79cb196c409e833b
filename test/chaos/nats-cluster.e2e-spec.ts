import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@app/testing';
import { provisionNatsCluster, type NatsCluster } from '../../tools/provision/nats-cluster.js';
import type { NatsServer } from '../../tools/provision/nats.js';
import { lostOf, recordKill } from '../support/chaos.js';
import { call } from '../support/http.js';
import { requestContinuously } from '../support/ledger.js';
import { sizeOf } from '../support/long-form.js';
import { readMessageIds, STREAM } from '../support/nats-stream.js';
import { Platform } from '../support/platform.js';
import { findOrderViolations, ofType, Scenario, type EventReader } from '../support/scenario.js';

/** Leaders of the stream that are killed, one after another. */
const LOSSES = sizeOf({ short: 1, long: 3 });
const RUN = '[[pace 20ms]] [[tokens 10]]';
const WIDTH = 2;
const MAX_WAITING = 10;

describe('a platform on a NATS cluster of three servers', () => {
  const folder = mkdtempSync(join(tmpdir(), 'nats-cluster-'));
  let nats: NatsCluster;
  let platform: Platform;
  let user: Scenario;
  const readers = new Map<string, EventReader>();

  beforeAll(async () => {
    nats = await provisionNatsCluster(folder);
    platform = await Platform.start({
      modelGateway: true,
      env: {
        DEFAULT_MODEL: 'development-model',
        RECONCILE_INTERVAL_MS: '100',
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
    await eventually(async () => expect(await readMessageIds(nats.url)).toContain(last));
  }

  it('keeps its stream on all of them, and loses no execution and no event while leaders are killed under load', async () => {
    const agentId = await user.newAgent();
    const queueId = await user.newQueue('clustered');
    await platform.startWorker({ WORKER_QUEUE: queueId, WORKER_CONCURRENCY: '8' });
    await expectPassedOn(agentId, queueId);
    await nats.waitUntilReplicated(STREAM);
    const open = async (): Promise<number> =>
      (await platform.sql(`SELECT 1 FROM executions WHERE status IN ('pending', 'running')`)).length;
    const load = requestContinuously(
      async () => {
        const id = await user.execute(agentId, RUN, queueId);
        readers.set(id, user.follow(id));
        return id;
      },
      { width: WIDTH, until: platform.stopped, mayContinue: async () => (await open()) < MAX_WAITING },
    );
    for (let lost = 0; lost < LOSSES; lost += 1) {
      const before = load.ledger.acknowledged.length;
      await eventually(() => expect(load.ledger.acknowledged.length).toBeGreaterThan(before + WIDTH));
      const killed = await leader();
      recordKill();
      await killed.kill('SIGKILL');
      const killedAt = performance.now();
      await expectPassedOn(agentId, queueId);
      process.stderr.write(`NATS goes on ${Math.round(performance.now() - killedAt)} ms after its leader was killed\n`);
      await eventually(async () => expect(await busHealth()).toBe('healthy'));
      await killed.restart();
      await nats.waitUntilReplicated(STREAM);
    }
    const { acknowledged, unacknowledged } = await load.stop();
    // NATS is not needed to accept executions.
    expect(unacknowledged).toBe(0);
    const ended = await Promise.all(acknowledged.map((id) => user.waitUntilEnded(id)));
    const completed = ended.filter(({ status }) => status === 'completed').map(({ id }) => id);
    expect(lostOf(acknowledged, completed)).toEqual([]);
    const ids: string[] = [];
    for (const { done } of readers.values()) {
      const events = await done;
      expect(findOrderViolations(events)).toEqual([]);
      expect(ofType(events, 'gap_detected')).toEqual([]);
      ids.push(...events.flatMap(({ id }) => id ?? []));
    }
    await eventually(async () => {
      const passedOn = await readMessageIds(nats.url);
      const found = new Set(passedOn);
      expect(ids.filter((id) => !found.has(id))).toEqual([]);
      expect(passedOn).toHaveLength(found.size);
    });
  });
});
