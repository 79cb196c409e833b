import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@app/testing';
import { call } from '../support/http.js';
import { Platform } from '../support/platform.js';
import { ofType, Scenario } from '../support/scenario.js';

const HEARTBEAT_SECONDS = 10;
/** Longer than a lease, and than a delay that the reaper counts as an interruption. */
const SUSPENSION_MS = 14_000;
/** Time that a heartbeat may take on a busy machine. */
const GRACE_MS = 12_000;
/** A run that takes longer than the test. */
const ENDLESS = '[[pace 50ms]] [[tokens 5000]]';

/**
 * Options of Node for a process whose monotonic clock stands still while the process is stopped, as that of a suspended
 * host does. Its system clock and its `uptime()` continue.
 */
function monotonicClockStops(): string {
  const script = `const real = performance.now.bind(performance);
  let [last, lost] = [real(), 0];
  performance.now = () => {
    const at = real();
    if (at - last > 5000) lost += at - last;
    last = at;
    return at - lost;
  };
  setInterval(() => performance.now(), 100).unref();`;
  return `--import=data:text/javascript,${encodeURIComponent(script)}`;
}

describe('a host that was suspended', () => {
  let platform: Platform;
  let user: Scenario;

  beforeAll(async () => {
    platform = await Platform.start({
      modelGateway: true,
      env: {
        DEFAULT_MODEL: 'development-model',
        NODE_OPTIONS: monotonicClockStops(),
        // Leases of five seconds.
        LEASE_HEARTBEATS: '0.5',
        LEASE_GRACE_MS: String(GRACE_MS),
        RECONCILE_INTERVAL_MS: '200',
      },
    });
    user = new Scenario(platform);
  });

  afterAll(() => platform.stop());

  it('gives workers time to renew their leases, and uses the right time at once', async () => {
    const agentId = await user.newAgent();
    const queueId = await user.newQueue('suspended', { heartbeat_interval: HEARTBEAT_SECONDS });
    const worker = await platform.startWorker({ WORKER_QUEUE: 'suspended' });
    const id = await user.execute(agentId, ENDLESS, queueId);
    const before = user.follow(id);
    await before.waitFor('message_chunk');
    // The grace period after the start of the platform.
    await sleep(GRACE_MS);

    const processes = [...platform.controlPlanes.map(({ process }) => process), worker.process];
    for (const process of processes) process.signal('SIGSTOP');
    await sleep(SUSPENSION_MS);
    const [controlPlane] = processes;
    controlPlane?.signal('SIGCONT');
    const asked = Date.now();
    const created = await call('POST', `${platform.url}/api/v1/executions/create`, {
      key: platform.adminKey,
      body: { prompt: 'p' },
    });
    const createdAt = Date.parse(String((created.body as Record<string, unknown>)['created_at']));
    expect(createdAt - asked).toBeGreaterThan(-2000);
    // The worker resumes after the reaper has looked for expired leases several times.
    await sleep(3000);
    worker.process.signal('SIGCONT');
    const after = user.follow(id);
    await eventually(async () => {
      const text = 'SELECT attempt, status, lease_expires_at > now() AS held FROM executions WHERE id = $1';
      expect(await platform.sql(text, [id])).toEqual([{ attempt: 1, status: 'running', held: true }]);
    });
    await eventually(() => expect(ofType(after.events, 'message_chunk').length).toBeGreaterThan(0));
    expect(ofType(after.events, 'run_started')).toHaveLength(1);
  });
});
