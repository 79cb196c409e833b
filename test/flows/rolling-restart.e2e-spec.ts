import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@app/testing';
import { Balancer } from '../support/balancer.js';
import { call } from '../support/http.js';
import { Platform } from '../support/platform.js';
import { findOrderViolations, Scenario } from '../support/scenario.js';

type Json = Record<string, unknown>;

/**
 * Requests per second, and maximum number of requests in progress. `RESTART_RATE=200` is for an otherwise idle machine.
 */
const RATE = Number(process.env['RESTART_RATE'] ?? 25);
const MAX_IN_PROGRESS = 40;
/** Long polls that are open at any time, besides the requests above. */
const POLLS = 4;
/** Longer than the balancer of the test takes to notice a failed readiness check, even on a slow machine. */
const DRAIN_MS = 8000;

describe('a restart of all processes in turn', () => {
  let platform: Platform;
  let balancer: Balancer;
  let url: string;
  let user: Scenario;

  beforeAll(async () => {
    platform = await Platform.start({
      controlPlanes: 2,
      dispatchers: 2,
      env: { SHUTDOWN_DRAIN_MS: String(DRAIN_MS), RECONCILE_INTERVAL_MS: '200' },
    });
    const urls = platform.controlPlanes.map((running) => running.url);
    balancer = new Balancer(urls);
    url = await balancer.start();
    user = new Scenario(platform, { url });
    await eventually(() => expect(urls.every((target) => balancer.isReady(target))).toBe(true));
  });

  afterAll(async () => {
    balancer.stop();
    await platform.stop();
  });

  /** Sends requests of all kinds through the balancer until it is stopped. */
  class Load {
    readonly triggered: string[] = [];
    readonly published: string[] = [];
    readonly refused: string[] = [];
    private readonly inProgress = new Set<Promise<void>>();
    private readonly running: Promise<void>;
    private stopped = false;
    private begun = 0;
    private seconds = 0;

    constructor(
      private readonly jobId: string,
      private readonly followedId: string,
      private readonly workerId: string,
    ) {
      this.running = this.run();
    }

    async stop(): Promise<void> {
      this.stopped = true;
      await this.running;
      await Promise.all(this.inProgress);
      process.stderr.write(`${this.begun} requests in ${this.seconds.toFixed(1)} s\n`);
    }

    private async run(): Promise<void> {
      const polls = Array.from({ length: POLLS }, () => this.pollRepeatedly());
      const kinds = [() => this.trigger(), () => this.publish(), () => this.send('GET', '/agents')];
      const startedAt = performance.now();
      while (!this.stopped) {
        // Timers are late under load: every request that is due by now begins.
        const due = ((performance.now() - startedAt) * RATE) / 1000;
        for (; this.begun < due && this.inProgress.size < MAX_IN_PROGRESS; this.begun += 1) {
          this.begin(kinds[this.begun % kinds.length] ?? (() => Promise.resolve()));
        }
        await pause(5);
      }
      this.seconds = (performance.now() - startedAt) / 1000;
      await Promise.all(polls);
    }

    private begin(send: () => Promise<unknown>): void {
      const request = send().then(
        () => undefined,
        (error: unknown) => void this.refused.push(String(error)),
      );
      this.inProgress.add(request);
      void request.then(() => this.inProgress.delete(request));
    }

    private async pollRepeatedly(): Promise<void> {
      while (!this.stopped) {
        await this.poll().catch((error: unknown) => void this.refused.push(String(error)));
      }
    }

    private async trigger(): Promise<void> {
      const { execution_id } = await this.send('POST', `/jobs/${this.jobId}/trigger`, {});
      this.triggered.push(String(execution_id));
    }

    private async publish(): Promise<void> {
      const event = { event_type: 'tick', data: {} };
      const { event_id } = await this.send('POST', `/executions/${this.followedId}/events`, event);
      this.published.push(String(event_id));
    }

    private async poll(): Promise<void> {
      await this.send('POST', `/workers/${this.workerId}/poll`, { wait_seconds: 1 });
    }

    private async send(method: string, path: string, body?: unknown): Promise<Json> {
      const response = await call(method, `${url}/api/v1${path}`, { key: platform.adminKey, body });
      if (response.status !== 200) this.refused.push(`${method} ${path}: ${response.status}`);
      return response.body as Json;
    }
  }

  /**
   * Waits until all past instants of a schedule have started, and returns those of its runs in seconds and in order.
   */
  async function ticksOf(jobId: string): Promise<number[]> {
    await user.client.PATCH('/api/v1/jobs/{job_id}', { params: { path: { job_id: jobId } }, body: { enabled: false } });
    await eventually(async () => {
      const due = await platform.sql('SELECT 1 FROM job_instants WHERE job_id = $1 AND due_at IS NOT NULL', [jobId]);
      expect(due).toEqual([]);
    });
    const rows = await platform.sql<{ at: string }>(
      "SELECT trigger_metadata ->> 'scheduled_at' AS at FROM executions WHERE job_id = $1 AND trigger_type = 'cron'",
      [jobId],
    );
    return rows.map(({ at }) => Date.parse(at) / 1000).sort((one, other) => one - other);
  }

  it('fails no request, breaks no stream, and starts each instant of a schedule exactly once', async () => {
    const agentId = await user.newAgent();
    const queueId = await user.newQueue('without-workers');
    const place = { executor_type: 'specific_queue', worker_queue_name: queueId } as const;
    const jobId = await user.newJob(agentId, place);
    const config = { catchup_window_seconds: 3600 };
    const schedule = { trigger_type: 'cron', cron_schedule: '* * * * * *', prompt_template: 'Tick', config } as const;
    const scheduledId = await user.newJob(agentId, { ...place, ...schedule });
    const followedId = await user.execute(agentId, 'Follow', queueId);
    const registered = await call('POST', `${url}/api/v1/workers/register`, { key: platform.adminKey });
    const reader = user.follow(followedId, { timeoutMs: 300_000 });
    const load = new Load(jobId, followedId, String((registered.body as Json)['worker_id']));

    const [one, two] = platform.controlPlanes;
    const [three, four] = platform.dispatchers;
    for (const restarted of [one, three, two, four]) {
      const before = load.triggered.length;
      expect(await restarted?.process.kill('SIGTERM')).toBe(0);
      await restarted?.process.start();
      await eventually(() => {
        expect(load.triggered.length).toBeGreaterThan(before + 5);
        if (restarted === one || restarted === two) expect(balancer.isReady(restarted?.url ?? '')).toBe(true);
      }, 60_000);
    }
    await load.stop();
    expect({ failures: balancer.failures, refused: load.refused }).toEqual({ failures: [], refused: [] });

    const stored = await platform.sql<{ id: string }>(
      "SELECT id FROM executions WHERE job_id = $1 AND trigger_type = 'manual'",
      [jobId],
    );
    expect(stored.map(({ id }) => id).sort()).toEqual([...load.triggered].sort());

    const ticks = await ticksOf(scheduledId);
    const [first = 0] = ticks;
    expect(ticks.length).toBeGreaterThan(4);
    expect(ticks).toEqual(ticks.map((_tick, index) => first + index));

    await user.cancel(followedId);
    const events = await reader.done;
    expect(findOrderViolations(events)).toEqual([]);
    const seen = new Set(events.map(({ id }) => id));
    expect(load.published.filter((id) => !seen.has(id))).toEqual([]);
  });
});
