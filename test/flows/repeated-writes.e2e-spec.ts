import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { SystemClock } from '@app/kernel';
import pg from 'pg';
import { pino } from 'pino';
import { RestControlPlane } from '../../apps/worker/src/control-plane.client.js';
import { PatientControlPlane } from '../../apps/worker/src/patient-control-plane.js';
import { Platform } from '../support/platform.js';
import { Scenario } from '../support/scenario.js';

jest.setTimeout(60_000);

describe('a write that is repeated while its first try still runs', () => {
  let platform: Platform;
  let user: Scenario;

  beforeAll(async () => {
    platform = await Platform.start();
    user = new Scenario(platform);
  });

  afterAll(() => platform.stop());

  it('waits for the first try instead of taking the lease for lost', async () => {
    const executionId = await user.execute(await user.newAgent(), 'Anything', await user.newQueue('repeated'));
    const first = new pg.Client({ connectionString: platform.databaseUrl });
    await first.connect();
    await first.query('BEGIN');
    // What the first try holds while it runs (see the idempotency store).
    const lock = `SELECT pg_advisory_xact_lock(hashtextextended('idempotency ' || organization_id || ' ' || $1, 0))
                  FROM executions WHERE id = $2`;
    await first.query(lock, [`${executionId}:1`, executionId]);
    const told: string[] = [];
    let refused: () => void = () => undefined;
    const wasRefused = new Promise<void>((resolve) => (refused = resolve));
    const write = (line: string): void => (told.push(line), refused());
    const written = worker(platform, write).createTask(
      { executionId, token: '', traceId: 'a'.repeat(32) },
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
    await Promise.race([wasRefused, written]);
    expect(told.join('')).toContain('still running');
    await first.query('COMMIT');
    await first.end();
    await written;
    expect(await user.tasks(executionId)).toHaveLength(1);
  });
});

/** The reference worker's way of talking to the platform. */
function worker(platform: Platform, write: (line: string) => void): PatientControlPlane {
  const logger = pino({ level: 'warn' }, { write });
  const config = {
    controlPlaneUrl: platform.url,
    apiKey: platform.adminKey,
    queue: 'default',
    environment: 'default',
    concurrency: 1,
    pollWaitSeconds: 1,
    shutdownGraceMs: 0,
  };
  return new PatientControlPlane(new RestControlPlane(config, new SystemClock(), logger), logger);
}
