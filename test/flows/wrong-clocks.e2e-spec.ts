import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@app/testing';
import { Platform } from '../support/platform.js';
import { Scenario } from '../support/scenario.js';

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
