import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@app/testing';
import { call } from '../support/http.js';
import { Platform } from '../support/platform.js';
import { ofType, Scenario } from '../support/scenario.js';

const WORKERS = 3;
/** Reports of a request, and PATCHes that are sent at once. */
const BATCH = 50;
const KILLS = 3;

interface Leased {
  readonly execution_id: string;
  readonly lease_token: string;
}

interface Outcome {
  readonly status: number;
}

describe('death of the control plane in the middle of batches', () => {
  let platform: Platform;
  let user: Scenario;
  let agentId: string;

  beforeAll(async () => {
    platform = await Platform.start({
      // No lease ends during the test: each execution has one attempt.
      env: { LEASE_CONFIRM_MS: '600000', LEASE_GRACE_MS: '600000', FAIR_SHARE_PER_SECOND: '0' },
    });
    user = new Scenario(platform);
    agentId = await user.newAgent();
  });

  afterAll(() => platform.stop());

  const send = async (method: string, path: string, body: object, headers = {}) =>
    call(method, `${platform.url}/api/v1${path}`, { key: platform.adminKey, scheme: 'UserKey', body, headers });

  /** Starts a worker that holds `BATCH` executions. */
  async function newHolder(queueId: string): Promise<{ readonly workerId: string; readonly leases: Leased[] }> {
    await Promise.all(Array.from({ length: BATCH }, (_, n) => user.execute(agentId, `run ${n}`, queueId)));
    const started = await send('POST', `/worker-queues/${queueId}/start`, {});
    const workerId = (started.body as { worker_id: string }).worker_id;
    const leases: Leased[] = [];
    while (leases.length < BATCH) {
      const polled = await send('POST', `/workers/${workerId}/poll`, { max: BATCH - leases.length, wait_seconds: 5 });
      for (const lease of polled.body as { lease_token: string; execution: { id: string } }[]) {
        leases.push({ execution_id: lease.execution.id, lease_token: lease.lease_token });
      }
    }
    return { workerId, leases };
  }

  /** Sends the same report for all executions until each one is acknowledged, and kills the control plane meanwhile. */
  async function underKills(sending: readonly (() => Promise<readonly Outcome[]>)[]): Promise<void> {
    const app = platform.controlPlanes[0]?.process;
    const repeat = async (attempt: () => Promise<readonly Outcome[]>): Promise<void> => {
      await eventually(async () => {
        const outcomes = await attempt();
        expect(outcomes.map(({ status }) => status).filter((status) => status !== 200)).toEqual([]);
      });
    };
    const all = sending.map(repeat);
    // Killed after the first acknowledgement, while others are under way.
    await Promise.race(all);
    await app?.restart();
    await Promise.all(all);
  }

  it('loses nothing that it has acknowledged, and doubles nothing', async () => {
    const queueId = await user.newQueue('reports-under-kills', { heartbeat_interval: 300 });
    const holders = await Promise.all(Array.from({ length: WORKERS }, () => newHolder(queueId)));
    const together = (report: (lease: Leased) => object) =>
      holders.map(({ workerId, leases }) => async (): Promise<readonly Outcome[]> => {
        const reports = leases.map((lease) => ({ ...lease, ...report(lease) }));
        const { body } = await send('POST', `/workers/${workerId}/reports`, { reports });
        return (body as { outcomes: Outcome[] }).outcomes;
      });
    const alone = (update: (lease: Leased) => object) =>
      holders.map(
        ({ leases }) =>
          async (): Promise<readonly Outcome[]> =>
            Promise.all(
              leases.map((lease) =>
                send('PATCH', `/executions/${lease.execution_id}`, update(lease), {
                  'X-Lease-Token': lease.lease_token,
                }),
              ),
            ),
      );
    const response = ({ execution_id: id }: Leased): string => `done ${id}`;
    const steps = [
      together(() => ({ update: { status: 'running' } })),
      together(({ execution_id: id }) => ({
        event: { event_type: 'note', data: { id }, idempotency_key: `note-${id}` },
      })),
      // Half by reports, half by PATCHes.
      [
        ...together((lease) => ({ update: { status: 'completed', response: response(lease) } })).slice(0, 1),
        ...alone((lease) => ({ status: 'completed', response: response(lease) })).slice(1),
      ],
    ];
    expect(steps).toHaveLength(KILLS);
    for (const step of steps) await underKills(step);

    const leases = holders.flatMap((holder) => holder.leases);
    const stored = await platform.sql<{ id: string; status: string; response: string; attempt: number }>(
      'SELECT id, status, response, attempt FROM executions WHERE worker_queue_id = $1',
      [queueId],
    );
    expect(stored).toHaveLength(WORKERS * BATCH);
    const byId = new Map(stored.map((row) => [row.id, row]));
    for (const lease of leases) {
      expect(byId.get(lease.execution_id)).toMatchObject({
        status: 'completed',
        response: response(lease),
        attempt: 1,
      });
    }
    const entries = await platform.sql<{ to_status: string; entries: number }>(
      `SELECT to_status, count(*)::int AS entries FROM execution_transitions
       WHERE from_status <> to_status GROUP BY to_status ORDER BY to_status`,
      [],
    );
    expect(entries).toEqual([
      { to_status: 'completed', entries: WORKERS * BATCH },
      { to_status: 'running', entries: WORKERS * BATCH },
    ]);
    for (const { execution_id: id } of leases.filter((_lease, index) => index % 10 === 0)) {
      expect(ofType(await user.readEvents(id), 'note')).toHaveLength(1);
    }
  });
});
