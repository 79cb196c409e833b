import { setTimeout as pause } from 'node:timers/promises';
import { call } from './http.js';
import type { ScaledDeployment } from './scaled-deployment.js';
import type { Scenario } from './scenario.js';

type Json = Record<string, unknown>;

/**
 * Requests per second, and maximum number of requests in progress. `RESTART_RATE=200` is for an otherwise idle machine.
 */
const RATE = Number(process.env['RESTART_RATE'] ?? 25);
const MAX_IN_PROGRESS = 40;
/** Long polls that are open at any time, besides the requests above. */
const POLLS = 4;

interface Target {
  readonly user: Scenario;
  readonly key: string;
  /** The job that is triggered. */
  readonly jobId: string;
  /** The execution whose events are published. */
  readonly followedId: string;
}

/** Sends requests of all kinds through the balancer of a deployment until it is stopped. */
export class DeploymentLoad {
  readonly triggered: string[] = [];
  readonly published: string[] = [];
  readonly refused: string[] = [];
  private readonly inProgress = new Set<Promise<void>>();
  private readonly running: Promise<void>;
  private stopped = false;
  private begun = 0;
  private seconds = 0;

  private constructor(
    private readonly deployment: ScaledDeployment,
    private readonly target: Target,
    private readonly workerId: string,
  ) {
    this.running = this.run();
  }

  /**
   * Triggers the job, publishes events of the execution, and polls as a worker of a queue of its own, because it runs
   * nothing that it receives.
   */
  static async start(deployment: ScaledDeployment, target: Target): Promise<DeploymentLoad> {
    const queueId = await target.user.newQueue(`polled-${target.jobId.slice(-12)}`);
    const started = await call('POST', `${deployment.url}/api/v1/worker-queues/${queueId}/start`, {
      key: target.key,
      body: {},
    });
    return new DeploymentLoad(deployment, target, String((started.body as Json)['worker_id']));
  }

  async stop(): Promise<void> {
    if (this.stopped) return;
    this.stopped = true;
    await this.running;
    await Promise.all(this.inProgress);
    process.stderr.write(`${this.begun} requests in ${this.seconds.toFixed(1)} s\n`);
  }

  private async run(): Promise<void> {
    const polls = Array.from({ length: POLLS }, () => this.pollRepeatedly());
    const kinds = [() => this.trigger(), () => this.publish(), () => this.send('GET', '/agents'), () => this.whoAmI()];
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
    const { execution_id } = await this.send('POST', `/jobs/${this.target.jobId}/trigger`, {});
    this.triggered.push(String(execution_id));
  }

  private async publish(): Promise<void> {
    const event = { event_type: 'tick', data: {} };
    const { event_id } = await this.send('POST', `/executions/${this.target.followedId}/events`, event);
    this.published.push(String(event_id));
  }

  private async poll(): Promise<void> {
    await this.send('POST', `/workers/${this.workerId}/poll`, { wait_seconds: 1 });
  }

  private async whoAmI(): Promise<void> {
    const options = { key: this.target.key, scheme: 'UserKey' };
    this.check('GET /auth/me', await call('GET', `${this.deployment.platformApiUrl}/api/v1/auth/me`, options));
  }

  private async send(method: string, path: string, body?: unknown): Promise<Json> {
    const response = await call(method, `${this.deployment.url}/api/v1${path}`, { key: this.target.key, body });
    this.check(`${method} ${path}`, response);
    return response.body as Json;
  }

  private check(request: string, { status, body }: { readonly status: number; readonly body: unknown }): void {
    if (status !== 200) this.refused.push(`${request}: ${status} ${JSON.stringify(body)}`);
  }
}
