import { setTimeout as delay } from 'node:timers/promises';
import { createLogger } from '@app/observability';
import { Injectable, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { PeriodicTask } from './periodic-task.js';

/** A task takes at most a fifth of the time, unless it needs more than a second. */
const LONGEST_REST_MS = 5000;

/** Runs every periodic task of the process until it stops. A failing run is logged; the next one comes all the same. */
@Injectable()
export class PeriodicRunner implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = createLogger('periodic');
  private readonly stop = new AbortController();
  private loops: readonly Promise<void>[] = [];

  constructor(private readonly discovery: DiscoveryService) {}

  onApplicationBootstrap(): void {
    const tasks = this.discovery.getProviders().flatMap(({ instance }) => {
      return instance instanceof PeriodicTask ? [instance] : [];
    });
    this.loops = [...new Set(tasks)].map((task) => this.loop(task));
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.stop.abort();
    await Promise.all(this.loops);
  }

  private async loop(task: PeriodicTask): Promise<void> {
    const { signal } = this.stop;
    let failing = false;
    while (!signal.aborted) {
      const startedAt = performance.now();
      try {
        await task.run(signal);
        if (failing) this.logger.info({ task: task.name }, 'a periodic task works again');
        failing = false;
      } catch (error) {
        // Told once, however long it lasts: a store that is away fails every run.
        this.logger[failing ? 'debug' : 'error'](
          { err: error, task: task.name },
          'a periodic task failed; it runs again',
        );
        failing = true;
      }
      await this.pause(task.intervalMs, failing ? 0 : performance.now() - startedAt, signal);
    }
  }

  /** A tenth of jitter, so that dispatchers do not run in step; longer runs are followed by longer rests. */
  private async pause(intervalMs: number, runMs: number, signal: AbortSignal): Promise<void> {
    const rest = Math.max(intervalMs, Math.min(4 * runMs, LONGEST_REST_MS));
    await delay(rest * (0.9 + 0.2 * Math.random()), undefined, { signal }).catch(() => undefined);
  }
}
