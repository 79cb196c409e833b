import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { SystemClock } from '@app/kernel';
import pg from 'pg';
import { pino } from 'pino';
import { RestControlPlaneClient } from '../../apps/worker/src/control-plane/control-plane.client.js';
import { RetryingControlPlaneClient } from '../../apps/worker/src/control-plane/retrying-control-plane.client.js';
import { Platform } from '../support/platform.js';
import { Scenario } from '../support/scenario.js';

describe('a write that is repeated while the first attempt still runs', () => {
  let platform: Platform;
  let user: Scenario;

  beforeAll(async () => {
    platform = await Platform.shared();
    user = new Scenario(platform);
  });

  afterAll(() => platform.stop());

  it('waits for the first attempt and does not give up the lease', async () => {
    const executionId = await user.execute(await user.newAgent(), 'Anything', await user.newQueue('repeated'));
    const first = new pg.Client({ connectionString: platform.databaseUrl });
    await first.connect();
    await first.query('BEGIN');
    // The lock that the first attempt holds while it runs (see the idempotency store).
    const lock = `SELECT pg_advisory_xact_lock(hashtextextended('idempotency ' || organization_id || ' ' || $1, 0))
                  FROM executions WHERE id = $2`;
    await first.query(lock, [`${executionId}:1`, executionId]);
    const warnings: string[] = [];
    let onWarning: () => void = () => undefined;
    const warned = new Promise<void>((resolve) => (onWarning = resolve));
    const write = (line: string): void => (warnings.push(line), onWarning());
    const written = newWorkerClient(platform, write).createTask(
      { executionId, token: '', trace: { traceId: 'a'.repeat(32), spanId: null, traceState: null }, isMonitored: true },
      {
        task_id: `${executionId}:1`,
        task_description: 'Run',
        task_type: 'agent_run',
        status: 'completed',
        started_at: '2026-01-01T00:00:00.000Z',
        completed_at: '2026-01-01T00:00:01.000Z',
        duration_ms: 1000,
        metadata: {},
      },
      new AbortController().signal,
    );
    await Promise.race([warned, written]);
    expect(warnings.join('')).toContain('still running');
    await first.query('COMMIT');
    await first.end();
    await written;
    expect(await user.tasks(executionId)).toHaveLength(1);
  });
});

/** Returns the client that the reference worker uses. */
function newWorkerClient(platform: Platform, write: (line: string) => void): RetryingControlPlaneClient {
  const logger = pino({ level: 'warn' }, { write });
  const config = {
    controlPlaneUrl: platform.url,
    apiKey: platform.adminKey,
    queue: 'default',
    environment: 'default',
    runner: null,
    concurrency: 1,
    pollWaitSeconds: 1,
    shutdownGraceMs: 0,
    modelRetries: 0,
    modelRetryMaxDelayMs: 1,
  };
  const offer = { runtimes: ['default'], skills: [] };
  return new RetryingControlPlaneClient(new RestControlPlaneClient(config, new SystemClock(), logger, offer), logger);
}
