import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { unwrap } from '@app/api-client';
import { eventually } from '@app/testing';
import { lostOf, random } from '../support/chaos.js';
import { requestContinuously } from '../support/ledger.js';
import { sizeOf } from '../support/long-form.js';
import { Platform } from '../support/platform.js';
import { Scenario } from '../support/scenario.js';

const STARTS = sizeOf({ short: 24, long: 120 });
const WIDTH = 6;

interface Turn {
  readonly id: string;
  readonly status: string;
  readonly turn: number;
  readonly attempt: number;
  /** Places in the ledger of the first lease and of the end; null without one. */
  readonly leased: string | null;
  readonly ended: string | null;
}

describe('concurrent starts in one session', () => {
  let platform: Platform;
  let user: Scenario;
  let agentId: string;
  let queueId: string;

  beforeAll(async () => {
    platform = await Platform.start({
      modelGateway: true,
      env: {
        DEFAULT_MODEL: 'development-model',
        RECONCILE_INTERVAL_MS: '500',
        LEASE_HEARTBEATS: '0.5',
        LEASE_CONFIRM_MS: '5000',
        LEASE_GRACE_MS: '8000',
      },
    });
    user = new Scenario(platform);
    agentId = await user.newAgent();
    queueId = await user.newQueue('turns');
  });

  afterAll(() => platform.stop());

  const turns = (): Promise<Turn[]> =>
    platform.sql<Turn>(`
      SELECT e.id, e.status, e.session_turn AS turn, e.attempt, min(sequence) FILTER (WHERE lease = 'acquired') AS leased,
        max(sequence) FILTER (WHERE to_status IN ('completed', 'failed', 'cancelled') AND from_status <> to_status) AS ended
      FROM executions e JOIN execution_transitions t ON t.organization_id = e.organization_id AND t.execution_id = e.id
      WHERE e.session_id = 'one' GROUP BY e.organization_id, e.id ORDER BY e.session_turn`);

  /** Some end with an error, of which some are repeated, and some are cancelled. */
  async function start(n: number): Promise<string> {
    const kind = n % 4;
    const prompt = kind === 1 || kind === 2 ? '[[error 400]]' : '[[pace 20ms]] [[tokens 10]]';
    const retry_policy = {
      retry_on: ['failed', 'lost'],
      backoff: { delay_seconds: 0 },
      max_attempts: kind === 2 ? 2 : 1,
    };
    const body = { prompt, session_id: 'one', worker_queue_id: queueId, config: { retry_policy } };
    const params = { path: { agent_id: agentId } };
    const { execution_id: id } = await unwrap(user.client.POST('/api/v1/agents/{agent_id}/execute', { params, body }));
    if (kind === 3) await user.cancel(id).catch(() => undefined);
    return id;
  }

  it('never run side by side, and all end in the order of acceptance, although servers and workers are killed', async () => {
    await platform.startWorker({ WORKER_QUEUE: queueId, WORKER_CONCURRENCY: '4' });
    const dying = await platform.startWorker({ WORKER_QUEUE: queueId, WORKER_CONCURRENCY: '4' });
    const { ledger, stop } = requestContinuously((n) => start(n), {
      width: WIDTH,
      until: platform.stopped,
      mayContinue: async () => (await turns()).length < STARTS,
    });
    for (let kill = 0; kill < 2; kill += 1) {
      const target = ledger.acknowledged.length + 3 + Math.floor(random() * 4);
      await eventually(() => expect(ledger.acknowledged.length).toBeGreaterThanOrEqual(target));
      if (kill === 1) await dying.process.kill('SIGKILL');
      await platform.controlPlanes[0]?.process.kill('SIGKILL');
      await platform.controlPlanes[0]?.process.restart();
    }
    await eventually(async () => expect((await turns()).length).toBeGreaterThanOrEqual(STARTS));
    const { acknowledged } = await stop();
    const all = await eventually(async () => {
      const found = await turns();
      expect(found.filter(({ ended }) => ended === null)).toEqual([]);
      return found;
    }, 180_000);
    expect(
      lostOf(
        acknowledged,
        all.map(({ id }) => id),
      ),
    ).toEqual([]);
    let before = 0;
    for (const { turn, leased, ended } of all) {
      if (leased !== null) expect([turn, Number(leased) > before]).toEqual([turn, true]);
      // A turn that was cancelled while it waited has ended before the turns before it.
      if (leased !== null) before = Number(ended);
    }
    expect(all.filter(({ status }) => status === 'completed').length).toBeGreaterThan(0);
  });
});
