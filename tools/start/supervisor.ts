import { setTimeout as delay } from 'node:timers/promises';
import { ProvisionError } from '../provision/provision-error.js';
import type { ExitStatus } from '../provision/server-process.js';

/** One thing that was started, a server or an app, through all its lives. */
export interface Part {
  readonly name: string;
  /** The end of the present life. */
  readonly exited: Promise<ExitStatus>;
  /** Begins another life after the end of the last one. */
  restart(): Promise<void>;
  stop(): Promise<void>;
  /** Apps only: servers that hold data are never cut off. */
  kill?(): void;
  lastLines(): readonly string[];
}

export interface SupervisorOptions {
  /** What happens now, for the person who watches. */
  readonly onStep: (step: string) => void;
  /** Time before the first restart of a part, in milliseconds; it doubles with each one that follows soon. */
  readonly pauseMs?: number;
}

/** A part that ends more often than this within a minute will not be mended by starting it again. */
const mostRestarts = 5;
const windowMs = 60_000;
const longestPauseMs = 8_000;

/**
 * Watches the parts of a platform. Until `allUp` a part that ends is a failure of the start; from then on it is started
 * again. Parts stop in the reverse of the order in which they were added.
 */
export class Supervisor {
  /** Rejects when a part ended and it is no use to start it again. */
  readonly failed: Promise<never>;
  private readonly parts: Part[] = [];
  private readonly watches: Promise<void>[] = [];
  private readonly restarts = new Set<Promise<void>>();
  private readonly stopping = new AbortController();
  private isUp = false;
  private fail: (error: unknown) => void = () => undefined;

  constructor(private readonly options: SupervisorOptions) {
    this.failed = new Promise((_, reject) => (this.fail = reject));
    this.failed.catch(() => undefined);
  }

  add(part: Part): void {
    this.parts.push(part);
    this.watches.push(this.watch(part));
  }

  allUp(): void {
    this.isUp = true;
  }

  async stopAll(): Promise<void> {
    this.stopping.abort();
    // Nothing stops well in the middle of its start.
    await Promise.allSettled(this.restarts);
    for (let part = this.parts.pop(); part !== undefined; part = this.parts.pop()) await part.stop();
    await Promise.all(this.watches);
  }

  killAll(): void {
    this.stopping.abort();
    for (const part of this.parts) part.kill?.();
  }

  private async watch(part: Part): Promise<void> {
    const ends: number[] = [];
    for (;;) {
      const status = await part.exited;
      if (this.stopping.signal.aborted) return;
      const now = performance.now();
      ends.push(now);
      const recent = ends.filter((end) => end > now - windowMs).length;
      const ended = `${part.name} ended unexpectedly, ${describe(status)}`;
      if (!this.isUp || recent > mostRestarts) return this.fail(failure(ended, part));
      this.options.onStep(`${ended}: starting it again`);
      const pauseMs = Math.min(longestPauseMs, (this.options.pauseMs ?? 250) * 2 ** (recent - 1));
      await delay(pauseMs, undefined, { signal: this.stopping.signal }).catch(() => undefined);
      if (this.stopping.signal.aborted) return;
      const restart = part.restart();
      this.restarts.add(restart);
      try {
        await restart;
      } catch (error) {
        return this.fail(error);
      } finally {
        this.restarts.delete(restart);
      }
    }
  }
}

function describe({ code, signal }: ExitStatus): string {
  if (signal !== null) return `by ${signal}`;
  return code === null ? 'before it ran' : `with exit code ${code}`;
}

function failure(ended: string, part: Part): ProvisionError {
  const said = part.lastLines().map((line) => `\n    ${line}`);
  return new ProvisionError(`${ended}.`, `The end of its log:${said.join('')}`);
}
