import { setTimeout as sleep } from 'node:timers/promises';
import { backoff, withRetries, type RetryPolicy } from '@app/api-client';
import type { Clock } from '@app/kernel';
import type { Logger } from '@app/observability';
import { ActiveRuns } from './active-runs.js';
import { isFailure } from './control-plane.errors.js';
import type { ControlPlanePort, Disconnection, StartedWorker } from './control-plane.port.js';
import { ExecutionRun, type RunSurroundings } from './execution-run.js';
import { Heartbeat } from './heartbeat.js';
import type { RuntimeRegistry } from './runtimes/registry.js';
import type { ModelGateway } from './runtimes/runtime.js';
import type { WorkerConfig } from './worker.config.js';

/** How long a goodbye may take, in milliseconds; without it the control plane notices by the missing heartbeats. */
const DISCONNECT_TIMEOUT_MS = 3_000;

/** What the control plane answers at most. */
const MAX_LEASES_PER_POLL = 100;

/** How long abandoned runs may take to let go, in milliseconds. */
const WIND_DOWN_MS = 2_000;

/** Time between the end of a session and the start of the next, in milliseconds: a worker that is thrown out again and again must not storm. */
const SESSION_PAUSE_MS = 1_000;

/** Pauses between tries of a start that is refused, in milliseconds: the first, and the longest. */
const REFUSED_START_DELAY_MS = 1_000;
const REFUSED_START_LONGEST_MS = 30_000;

export interface WorkerParts {
  readonly controlPlane: ControlPlanePort;
  readonly runtimes: RuntimeRegistry;
  /** Overrides what the control plane says. */
  readonly gateway: { readonly url: string | null; readonly apiKey: string | null };
  readonly clock: Clock;
  readonly logger: Logger;
  /** Called each time the worker is known to the control plane. */
  readonly onReady: (started: StartedWorker) => void;
}

/**
 * Takes work from one queue and runs it. Its life is a row of sessions: a session begins with a start, and ends when the worker
 * is stopped or the control plane no longer knows it; then all its leases are lost and the next session begins.
 */
export class Worker {
  private readonly stopping = new AbortController();
  /** A second stop: the last runs are not waited for any more. */
  private readonly hurry = new AbortController();
  private readonly runs: ActiveRuns;
  private readonly heartbeat: Heartbeat;
  private session: StartedWorker | null = null;

  constructor(
    private readonly config: WorkerConfig,
    private readonly parts: WorkerParts,
  ) {
    this.runs = new ActiveRuns(config.concurrency, parts.logger);
    this.heartbeat = new Heartbeat(parts.controlPlane, this.runs, parts.logger);
  }

  /** Works until stopped. Rejects when it cannot go on, for example because its key is refused. */
  async run(): Promise<void> {
    while (!this.stopping.signal.aborted) {
      try {
        this.session = await this.begin();
        this.parts.onReady(this.session);
        await this.serve(this.session);
      } catch (error) {
        if (this.stopping.signal.aborted) break;
        if (this.session === null || !isFailure(error, 'gone')) throw error;
        this.parts.logger.warn(
          { worker_id: this.session.workerId, reason: error.message },
          'no longer known, starting anew',
        );
        this.session = null;
        this.runs.abandonAll('lease lost');
        await this.restPause();
      }
    }
    await this.disconnect({ reason: 'shutdown', exit_code: 0 });
    // The abandoned runs let go of what they hold, child processes above all.
    await this.runs.whenIdle(AbortSignal.timeout(WIND_DOWN_MS));
  }

  /** Asks for an orderly end: no new work, time for what runs, the rest handed back. A second call cuts that time short. */
  stop(): void {
    if (this.stopping.signal.aborted) this.hurry.abort();
    else this.stopping.abort(new Error('The worker is stopping'));
  }

  /** Says goodbye. The control plane takes back every lease of the worker at once. */
  async disconnect(disconnection: Disconnection): Promise<void> {
    const { session } = this;
    this.session = null;
    if (session === null) return;
    this.runs.abandonAll('shutdown');
    try {
      await this.parts.controlPlane.disconnect(
        session.workerId,
        disconnection,
        AbortSignal.timeout(DISCONNECT_TIMEOUT_MS),
      );
      this.parts.logger.info({ worker_id: session.workerId, ...disconnection }, 'disconnected');
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      this.parts.logger.warn({ worker_id: session.workerId, reason }, 'could not disconnect');
    }
  }

  /**
   * Starts, and tries again as long as the control plane refuses it for what it has at present: a queue that is not there,
   * or has all its workers. That may be mended without this process, so it waits instead of ending.
   */
  private begin(): Promise<StartedWorker> {
    const { controlPlane, logger } = this.parts;
    const { queue, environment } = this.config;
    const policy: RetryPolicy = (error, failures) => {
      if (!isFailure(error, 'gone')) return null;
      const delay = Math.round(backoff(failures, REFUSED_START_DELAY_MS, REFUSED_START_LONGEST_MS));
      logger.error(
        { queue, environment, reason: error.message, request_id: error.requestId, failures, next_try_ms: delay },
        'the control plane refuses this worker; an operator has to mend the cause',
      );
      return delay;
    };
    return withRetries(() => controlPlane.start(this.stopping.signal), policy, this.stopping.signal);
  }

  /** Polls and beats until one of them fails or the worker is stopped; beats on while the last runs finish. */
  private async serve(session: StartedWorker): Promise<void> {
    const ended = new AbortController();
    const polling = AbortSignal.any([ended.signal, this.stopping.signal]);
    const beating = this.heartbeat.keepUp(session.workerId, session.heartbeatInterval, ended.signal);
    try {
      await Promise.race([this.poll(session, polling), beating]);
      await Promise.race([this.finishRuns(), beating]);
    } finally {
      ended.abort(new Error('The session is over'));
      await beating.catch(() => undefined);
    }
  }

  private async poll(session: StartedWorker, signal: AbortSignal): Promise<void> {
    const around = this.surroundings(session);
    while (!signal.aborted) {
      await this.runs.whenFree(signal);
      if (signal.aborted) return;
      try {
        const leases = await this.parts.controlPlane.poll(
          session.workerId,
          Math.min(this.runs.free, MAX_LEASES_PER_POLL),
          signal,
        );
        for (const lease of leases) this.runs.launch(new ExecutionRun(lease, around));
        if (leases.length > 0) this.heartbeat.noteLease();
      } catch (error) {
        if (!signal.aborted) throw error;
      }
    }
  }

  private async finishRuns(): Promise<void> {
    if (!this.stopping.signal.aborted) return;
    const running = this.runs.executionIds;
    this.parts.logger.info(
      { worker_id: this.session?.workerId, running, grace_ms: this.config.shutdownGraceMs },
      'stopping',
    );
    await this.runs.whenIdle(AbortSignal.any([this.hurry.signal, AbortSignal.timeout(this.config.shutdownGraceMs)]));
  }

  private async restPause(): Promise<void> {
    const pause = backoff(1, SESSION_PAUSE_MS, SESSION_PAUSE_MS);
    await sleep(pause, undefined, { signal: this.stopping.signal }).catch(() => undefined);
  }

  private surroundings(session: StartedWorker): RunSurroundings {
    const { controlPlane, runtimes, clock } = this.parts;
    const gateway = this.modelGateway(session);
    return {
      controlPlane,
      runtimes,
      clock,
      gateway,
      secrets: [this.config.apiKey, gateway.apiKey ?? ''],
      workerId: session.workerId,
      logger: this.parts.logger.child({ worker_id: session.workerId }),
    };
  }

  /** An address of its own goes with a key of its own: the platform's key is not for another gateway. */
  private modelGateway(session: StartedWorker): ModelGateway {
    const own = this.parts.gateway;
    if (own.url !== null) return { url: own.url, apiKey: own.apiKey };
    return { url: session.gateway.url ?? '', apiKey: own.apiKey ?? session.gateway.apiKey };
  }
}
