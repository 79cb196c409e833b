import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { unwrap } from '@app/api-client';
import { eventually } from '@app/testing';
import { doubledOf, missedOf } from '../support/chaos.js';
import { call, type HttpResponse } from '../support/http.js';
import { Platform } from '../support/platform.js';
import { findOrderViolations, Scenario } from '../support/scenario.js';

const HOUR = 3_600_000;

/** Options of Node for a process whose system clock is off by this many milliseconds. */
function clockOffBy(milliseconds: number): string {
  const script = `const Real = Date; globalThis.Date = class extends Real {
    constructor(...given) { if (given.length === 0) super(Real.now() + (${milliseconds})); else super(...given); }
    static now() { return Real.now() + (${milliseconds}); }
  }`;
  return `--import=data:text/javascript,${encodeURIComponent(script)}`;
}

describe.each([3, -3])('a platform whose servers have clocks that are off by %i hours', (hours) => {
  let platform: Platform;
  let user: Scenario;
  let agentId: string;

  beforeAll(async () => {
    platform = await Platform.start({
      modelGateway: true,
      env: { DEFAULT_MODEL: 'development-model', NODE_OPTIONS: clockOffBy(hours * HOUR) },
    });
    user = new Scenario(platform);
    agentId = await user.newAgent();
  });

  afterAll(() => platform.stop());

  const newJob = (cron_schedule: string): Promise<string> =>
    user.newJob(agentId, { trigger_type: 'cron', cron_schedule, prompt_template: 'Tick' });

  /**
   * Tolerance: the processes of this machine read their clocks milliseconds apart, and requests are slow on a busy
   * machine.
   */
  const expectNow = (time: unknown): void => {
    const off = Math.abs(Date.parse(String(time)) - Date.now());
    expect(off).toBeLessThan(10 * 60_000);
  };

  it('logs the difference of the clocks', () =>
    eventually(() =>
      expect(platform.controlPlanes[0]?.process.log()).toContain(
        'the clock of this host differs from that of the database',
      ),
    ));

  it('starts the runs of schedules at their time, and none before it', async () => {
    // Not due during the test.
    const hourly = await newJob(`0 ${(new Date().getUTCMinutes() + 30) % 60} * * * *`);
    const next = Date.parse(String((await user.job(hourly)).next_execution_at));
    expect(next - Date.now()).toBeGreaterThan(-60_000);
    expect(next - Date.now()).toBeLessThanOrEqual(HOUR + 60_000);
    // Due in an hour from now, whenever the test runs.
    await platform.sql("UPDATE jobs SET next_execution_at = now() + interval '1 hour' WHERE id = $1", [hourly]);
    const often = await newJob('* * * * * *');
    await eventually(async () => expect((await user.job(often)).total_executions).toBeGreaterThan(2));
    const [run] = (await user.job(often)).execution_history;
    expectNow(run?.trigger_metadata['scheduled_at']);
    expect((await user.job(hourly)).total_executions).toBe(0);
  });

  it('delivers executions at once, and stores the time of the database', async () => {
    const queueId = await user.newQueue(`clocks-${hours}`);
    const id = await user.execute(agentId, 'Say hello', queueId);
    await platform.startWorker({ WORKER_QUEUE: `clocks-${hours}` });
    const ended = await user.waitUntilEnded(id);
    expect(ended.status).toBe('completed');
    expectNow(ended.created_at);
    expectNow(ended.completed_at);
  });
});

describe('two control planes whose clocks differ by ten seconds', () => {
  let platform: Platform;
  let users: readonly Scenario[];
  let agentId: string;

  beforeAll(async () => {
    platform = await Platform.start({
      controlPlanes: 0,
      modelGateway: true,
      env: {
        DEFAULT_MODEL: 'development-model',
        // Leases of five seconds.
        LEASE_HEARTBEATS: '0.5',
        RECONCILE_INTERVAL_MS: '500',
      },
    });
    for (const seconds of [5, -5]) await platform.startControlPlane({ NODE_OPTIONS: clockOffBy(seconds * 1000) });
    users = platform.controlPlanes.map(({ url }) => new Scenario(platform, { url }));
    agentId = await user(0).newAgent();
  });

  afterAll(() => platform.stop());

  /** The same user on the control planes in turn. */
  const user = (n: number): Scenario => users[n % users.length] as Scenario;

  it('start each instant of a schedule once, and none before its time', async () => {
    let early = 0;
    const config = { catchup_window_seconds: 3600 };
    const schedule = { trigger_type: 'cron', cron_schedule: '* * * * * *', prompt_template: 'Tick', config } as const;
    const jobId = await user(0).newJob(agentId, schedule);
    const instants = await eventually(async () => {
      // Clocks that differ from that of the database by less than a second are not corrected.
      const rows = await platform.sql<{ at: number; is_early: boolean }>(
        `SELECT extract(epoch FROM instant)::integer AS at, instant > now() + interval '2 s' AS is_early
         FROM executions, LATERAL (SELECT (trigger_metadata ->> 'scheduled_at')::timestamptz AS instant) scheduled
         WHERE job_id = $1`,
        [jobId],
      );
      early += rows.filter(({ is_early }) => is_early).length;
      const found = rows.map(({ at }) => at);
      expect(found.length).toBeGreaterThan(5);
      expect(missedOf(found, 1)).toEqual([]);
      return found;
    });
    expect([doubledOf(instants), early]).toEqual([[], 0]);
    await user(1).client.POST('/api/v1/jobs/{job_id}/disable', { params: { path: { job_id: jobId } } });
  });

  it('take the turns of a session, and number events, in the order of acceptance', async () => {
    const queueId = await user(0).newQueue('skewed');
    const ids: string[] = [];
    for (let n = 0; n < 6; n += 1) {
      const params = { path: { agent_id: agentId } };
      const body = { prompt: `turn ${n}`, session_id: 'skewed', worker_queue_id: queueId };
      const started = await unwrap(user(n).client.POST('/api/v1/agents/{agent_id}/execute', { params, body }));
      ids.push(started.execution_id);
    }
    await platform.startWorker({ WORKER_QUEUE: queueId, WORKER_CONCURRENCY: '4' });
    for (const id of ids) expect(await user(0).waitUntilEnded(id)).toMatchObject({ status: 'completed' });
    const ends = await platform.sql<{ id: string }>(
      `SELECT execution_id AS id FROM execution_transitions
       WHERE execution_id = ANY($1) AND to_status = 'completed' ORDER BY sequence`,
      [ids],
    );
    expect(ends.map(({ id }) => id)).toEqual(ids);
    for (const [n, id] of ids.entries()) expect(findOrderViolations(await user(n).readEvents(id))).toEqual([]);
  });

  it('keep the lease of a worker, whichever of them it speaks to', async () => {
    const queueId = await user(0).newQueue('leased');
    const register = { key: platform.adminKey, body: {} };
    const at = (n: number): string => `${platform.controlPlanes[n % 2]?.url}/api/v1`;
    const started = await call('POST', `${at(0)}/worker-queues/${queueId}/start`, register);
    const { worker_id } = started.body as { worker_id: string };
    const id = await user(0).execute(agentId, 'Held', queueId);
    const token = await eventually(async () => {
      const { body } = await call('POST', `${at(0)}/workers/${worker_id}/poll`, {
        key: platform.adminKey,
        body: { wait_seconds: 1 },
      });
      expect(body).toMatchObject([{ execution: { id } }]);
      return (body as [{ lease_token: string }])[0].lease_token;
    });
    const headers = { 'X-Lease-Token': token };
    const report = (n: number, fields: object): Promise<HttpResponse> =>
      call('PATCH', `${at(n)}/executions/${id}`, { key: platform.adminKey, headers, body: fields });
    expect((await report(1, { status: 'running' })).status).toBe(200);
    const [first] = await platform.sql<{ end: Date }>('SELECT lease_expires_at AS end FROM executions WHERE id = $1', [
      id,
    ]);
    let reports = 0;
    await eventually(async () => {
      expect((await report((reports += 1), { execution_metadata: { reports } })).status).toBe(200);
      // Longer than the lease without its renewals.
      const passed = await platform.sql(`SELECT 1 WHERE now() > $1::timestamptz + interval '2 s'`, [first?.end]);
      expect(passed).toHaveLength(1);
    });
    expect((await report(0, { status: 'completed' })).status).toBe(200);
    const [stored] = await platform.sql<{ attempt: number }>('SELECT attempt FROM executions WHERE id = $1', [id]);
    expect(stored).toEqual({ attempt: 1 });
  });
});
