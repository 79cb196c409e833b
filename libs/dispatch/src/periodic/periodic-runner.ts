import { setTimeout as delay } from 'node:timers/promises';
import { createLogger } from '@app/observability';
import { Injectable, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { PeriodicTask } from './periodic-task.js';

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
    while (!signal.aborted) {
      const startedAt = performance.now();
      try {
        await task.run(signal);
      } catch (error) {
        this.logger.error({ err: error, task: task.name }, 'a periodic task failed; it runs again');
      }
      await this.pause(task.intervalMs, performance.now() - startedAt, signal);
    }
  }

  /** A tenth of jitter, so that dispatchers do not run in step. A task never takes more than a fifth of the time. */
  private async pause(intervalMs: number, runMs: number, signal: AbortSignal): Promise<void> {
    const ms = Math.max(intervalMs, 4 * runMs) * (0.9 + 0.2 * Math.random());
    await delay(ms, undefined, { signal }).catch(() => undefined);
  }
}
