import { backoff, pause, withRetries, type Backoff, type RetryPolicy } from '@app/api-client';
import type { Clock } from '@app/kernel';
import type { Logger } from '@app/observability';
import { ActiveRuns } from './run/active-runs.js';
import { isFailure } from './control-plane/control-plane.errors.js';
import type { ControlPlanePort, Disconnection, StartedWorker } from './control-plane/control-plane.port.js';
import { messageOf } from './errors/error-text.js';
import { ExecutionRun } from './run/execution-run.js';
import { Heartbeat } from './run/heartbeat.js';
import type { RunContext, RunTracing } from './run/run-context.js';
import type { RuntimeRegistry } from './runtimes/registry.js';
import type { ModelGateway } from './runtimes/runtime.js';
import type { OfferedSkills } from './skills/offered-skills.js';
import type { WorkerConfig } from './worker.config.js';

/** After a failed disconnect the control plane releases the leases when the heartbeats stop. */
const DISCONNECT_TIMEOUT_MS = 3_000;

/** Upper bound that the control plane accepts. */
const MAX_LEASES_PER_POLL = 100;

/** How long the worker waits for abandoned runs before it exits. */
const ABANDONED_RUNS_GRACE_MS = 2_000;

/**
 * Delay between the end of a session and the next start: limits the requests of a worker whose sessions end at once.
 */
const SESSION_PAUSE: Backoff = { baseDelayMs: 1_000, maxDelayMs: 1_000 };

/** Delay between attempts of a refused start. */
const REFUSED_START: Backoff = { baseDelayMs: 1_000, maxDelayMs: 30_000 };

export interface WorkerDependencies {
  readonly controlPlane: ControlPlanePort;
  readonly runtimes: RuntimeRegistry;
  /** Overrides the model gateway that the control plane returns. */
  readonly gateway: { readonly url: string | null; readonly apiKey: string | null };
  readonly skills: OfferedSkills;
  /** The folder in which each run gets a folder of its own. */
  readonly workspaceFolder: string;
  readonly tracing: RunTracing;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Called at the start of each session. */
  readonly onReady: (started: StartedWorker) => void;
  /** Called when the control plane refuses a start, once per reason. The worker retries. */
  readonly onRefused: (reason: string) => void;
}

/**
 * Runs the executions of one worker queue. A session starts with a registration and ends when the worker is stopped or
 * the control plane no longer knows it. In the latter case all leases are lost, and the worker starts the next session.
 */
export class Worker {
  private readonly stopping = new AbortController();
  /** Aborted by a second `stop`: ends the wait for active runs. */
  private readonly forcedStop = new AbortController();
  private readonly runs: ActiveRuns;
  private readonly heartbeat: Heartbeat;
  private session: StartedWorker | null = null;

  constructor(
    private readonly config: WorkerConfig,
    private readonly dependencies: WorkerDependencies,
  ) {
    this.runs = new ActiveRuns(config.concurrency, dependencies.logger);
    this.heartbeat = new Heartbeat(dependencies.controlPlane, this.runs, dependencies.logger);
  }

  /** Resolves after `stop`. Rejects on an error that a new session does not fix, for example a refused key. */
  async run(): Promise<void> {
    while (!this.stopping.signal.aborted) {
      try {
        this.session = await this.startSession();
        this.dependencies.onReady(this.session);
        await this.runSession(this.session);
      } catch (error) {
        if (this.stopping.signal.aborted) break;
        if (this.session === null || !isFailure(error, 'gone')) throw error;
        this.dependencies.logger.warn(
          { worker_id: this.session.workerId, reason: error.message },
          'session lost, starting a new one',
        );
        this.session = null;
        this.runs.abandonAll('lease lost');
        await this.pauseBetweenSessions();
      }
    }
    await this.disconnect({ reason: 'shutdown', exit_code: 0 });
    // Lets the abandoned runs release their resources, especially child processes.
    await this.runs.whenIdle(AbortSignal.timeout(ABANDONED_RUNS_GRACE_MS));
  }

  /**
   * Stops the worker: no new leases, active runs may finish within the grace time, the leases of the others are
   * released. A second call ends the grace time.
   */
  stop(): void {
    if (this.stopping.signal.aborted) this.forcedStop.abort();
    else this.stopping.abort(new Error('The worker is stopping'));
  }

  /** Abandons all runs and disconnects, so that the control plane releases all leases of the worker. Never rejects. */
  async disconnect(disconnection: Disconnection): Promise<void> {
    const { session } = this;
    this.session = null;
    if (session === null) return;
    this.runs.abandonAll('shutdown');
    try {
      await this.dependencies.controlPlane.disconnect(
        session.workerId,
        disconnection,
        AbortSignal.timeout(DISCONNECT_TIMEOUT_MS),
      );
      this.dependencies.logger.info({ worker_id: session.workerId, ...disconnection }, 'disconnected');
    } catch (error) {
      const reason = messageOf(error);
      this.dependencies.logger.warn({ worker_id: session.workerId, reason }, 'disconnect failed');
    }
  }

  /**
   * Starts a session. Retries as long as the control plane refuses it because of its present state (the queue is
   * missing or full), since an operator can fix that while this process waits.
   */
  private startSession(): Promise<StartedWorker> {
    const { controlPlane, logger } = this.dependencies;
    const { queue, environment } = this.config;
    let reported = '';
    const policy: RetryPolicy = (error, failures) => {
      if (!isFailure(error, 'gone')) return null;
      const delay = backoff(failures, REFUSED_START);
      if (error.message !== reported) this.dependencies.onRefused(error.message);
      // Repeated at debug only: the reason does not change until an operator acts.
      logger[error.message === reported ? 'debug' : 'error'](
        { queue, environment, reason: error.message, request_id: error.requestId, failures, next_try_ms: delay },
        'start refused by the control plane; retrying until an operator has fixed the cause',
      );
      reported = error.message;
      return delay;
    };
    return withRetries(() => controlPlane.start(this.stopping.signal), policy, this.stopping.signal);
  }

  /**
   * Polls and sends heartbeats until one of them fails or the worker is stopped. Heartbeats continue while active runs
   * finish.
   */
  private async runSession(session: StartedWorker): Promise<void> {
    const sessionEnd = new AbortController();
    const polling = AbortSignal.any([sessionEnd.signal, this.stopping.signal]);
    const heartbeats = this.heartbeat.run(session.workerId, session.heartbeatInterval, sessionEnd.signal);
    void this.receiveCommands(session, sessionEnd.signal);
    try {
      await Promise.race([this.poll(session, polling), heartbeats]);
      await Promise.race([this.finishRuns(), heartbeats]);
    } finally {
      sessionEnd.abort(new Error('The session is over'));
      await heartbeats.catch(() => undefined);
    }
  }

  /** Never rejects: without the WebSocket, commands arrive with heartbeats. */
  private async receiveCommands({ webSocketUrl, workerId }: StartedWorker, signal: AbortSignal): Promise<void> {
    if (webSocketUrl === null) return;
    const { controlPlane, logger } = this.dependencies;
    try {
      await controlPlane.receiveCommands(webSocketUrl, (command) => this.heartbeat.execute(command), signal);
    } catch (error) {
      if (signal.aborted) return;
      const reason = messageOf(error);
      logger.info({ worker_id: workerId, reason }, 'no WebSocket, commands arrive with heartbeats');
    }
  }

  private async poll(session: StartedWorker, signal: AbortSignal): Promise<void> {
    const context = this.runContext(session);
    while (!signal.aborted) {
      await this.runs.whenFree(signal);
      if (signal.aborted) return;
      try {
        const leases = await this.dependencies.controlPlane.poll(
          session.workerId,
          Math.min(this.runs.freeSlots, MAX_LEASES_PER_POLL),
          signal,
        );
        for (const lease of leases) this.runs.launch(new ExecutionRun(lease, context));
        if (leases.length > 0) this.heartbeat.reschedule();
      } catch (error) {
        if (!signal.aborted) throw error;
      }
    }
  }

  private async finishRuns(): Promise<void> {
    if (!this.stopping.signal.aborted) return;
    const running = this.runs.executionIds;
    this.dependencies.logger.info(
      { worker_id: this.session?.workerId, running, grace_ms: this.config.shutdownGraceMs },
      'stopping',
    );
    await this.runs.whenIdle(
      AbortSignal.any([this.forcedStop.signal, AbortSignal.timeout(this.config.shutdownGraceMs)]),
    );
  }

  private async pauseBetweenSessions(): Promise<void> {
    await pause(backoff(1, SESSION_PAUSE), this.stopping.signal).catch(() => undefined);
  }

  private runContext(session: StartedWorker): RunContext {
    const { controlPlane, runtimes, skills, workspaceFolder, tracing, clock } = this.dependencies;
    const gateway = this.modelGateway(session);
    return {
      controlPlane,
      runtimes,
      skills,
      workspaceFolder,
      tracing,
      clock,
      gateway,
      secrets: [this.config.apiKey, gateway.apiKey ?? ''],
      workerId: session.workerId,
      logger: this.dependencies.logger.child({ worker_id: session.workerId }),
    };
  }

  /**
   * A gateway configured on the worker is used with the worker's key only: the platform's key must not reach another
   * gateway.
   */
  private modelGateway(session: StartedWorker): ModelGateway {
    const local = this.dependencies.gateway;
    const retries = { retries: this.config.modelRetries, maxDelayMs: this.config.modelRetryMaxDelayMs };
    if (local.url !== null) return { url: local.url, apiKey: local.apiKey, retries };
    return { url: session.gateway.url ?? '', apiKey: local.apiKey ?? session.gateway.apiKey, retries };
  }
}
