import { setTimeout as delay } from 'node:timers/promises';
import { ExponentialBackoff, noJitterGenerator, type IBackoff } from 'cockatiel';
import { ProvisionError } from '../provision/provision-error.js';
import type { ExitStatus } from '../provision/server-process.js';

/** A server or app across all its restarts. */
export interface Part {
  readonly name: string;
  /** Resolves when the current process exits. */
  readonly exited: Promise<ExitStatus>;
  /** Starts a new process after the previous one has exited. */
  restart(): Promise<void>;
  stop(): Promise<void>;
  /** Only apps: servers that store data are never killed. */
  kill?(): void;
  lastLines(): readonly string[];
}

export interface SupervisorOptions {
  /** Receives a description of each restart, to be shown on the terminal. */
  readonly onStep: (step: string) => void;
  /** A monotonic clock in milliseconds. */
  readonly now?: () => number;
  /** Resolves after `ms`, or at once when the signal is aborted. */
  readonly pause?: (ms: number, signal: AbortSignal) => Promise<void>;
}

/** Pauses of 1, 2, 4 … 30 s. No jitter, because no other process restarts at the same time. */
const BACKOFF = new ExponentialBackoff({ generator: noJitterGenerator, initialDelay: 1_000, maxDelay: 30_000 });
/** After running this long, a part starts again with the initial pause. */
const PAUSE_RESET_MS = 60_000;

/**
 * Watches the parts of a platform. Until `allUp`, a part that exits fails the start. After that it is restarted without
 * limit, because the cause (a full disk, a faulty request) can be fixed while this process runs. Parts stop in the
 * reverse order in which they were added.
 */
export class Supervisor {
  /** Rejects if a part exits before `allUp`. */
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
    // A part cannot be stopped while it is starting.
    await Promise.allSettled(this.restarts);
    for (let part = this.parts.pop(); part !== undefined; part = this.parts.pop()) await part.stop();
    await Promise.all(this.watches);
  }

  killAll(): void {
    this.stopping.abort();
    for (const part of this.parts) part.kill?.();
  }

  private async watch(part: Part): Promise<void> {
    const now = this.options.now ?? ((): number => performance.now());
    for (let backoff = BACKOFF.next(); ;) {
      const startedAt = now();
      const status = await part.exited;
      if (this.stopping.signal.aborted) return;
      const event = `${part.name} exited unexpectedly (${describe(status)})`;
      if (!this.isUp) return this.fail(failure(event, part));
      if (now() - startedAt >= PAUSE_RESET_MS) backoff = BACKOFF.next();
      const next = await this.restart(part, event, backoff);
      if (next === undefined) return;
      backoff = next;
    }
  }

  /**
   * Restarts a part, pausing before each attempt. Returns the back-off of the next restart, or undefined if the
   * platform is stopping.
   */
  private async restart(part: Part, reason: string, first: IBackoff<unknown>): Promise<IBackoff<unknown> | undefined> {
    let [event, cause] = [reason, lastLine(part)];
    for (let backoff = first; ; backoff = backoff.next(undefined)) {
      const { duration } = backoff;
      this.options.onStep(`${event}: restarting it in ${duration / 1000} s${cause === '' ? '' : ` (${cause})`}`);
      await (this.options.pause ?? pause)(duration, this.stopping.signal);
      if (this.stopping.signal.aborted) return undefined;
      const restart = part.restart();
      this.restarts.add(restart);
      try {
        await restart;
        return backoff.next(undefined);
      } catch (error) {
        [event, cause] = [`${part.name} could not be started`, causeOf(error)];
      } finally {
        this.restarts.delete(restart);
      }
    }
  }
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await delay(ms, undefined, { signal }).catch(() => undefined);
}

function lastLine(part: Part): string {
  const line = part.lastLines().at(-1)?.trim().replace(/\s+/g, ' ');
  return line === undefined || line === '' ? '' : `last log line: ${line}`;
}

/** Returns the first line only; the full explanation is printed when a start fails. */
function causeOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).split('\n')[0] ?? '';
}

function describe({ code, signal }: ExitStatus): string {
  if (signal !== null) return signal;
  return code === null ? 'it could not be started' : `exit code ${code}`;
}

function failure(event: string, part: Part): ProvisionError {
  const lines = part.lastLines().map((line) => `\n    ${line}`);
  return new ProvisionError(`${event}.`, `Its log ends with:${lines.join('')}`);
}
