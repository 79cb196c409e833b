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
  /** Milliseconds that only grow. */
  readonly now?: () => number;
  /** Returns after a time in milliseconds, or at once when the signal comes. */
  readonly pause?: (ms: number, signal: AbortSignal) => Promise<void>;
}

const firstPauseMs = 1_000;
const longestPauseMs = 30_000;
/** A part that lived as long as this got over what ended it before. */
const quietMs = 60_000;

/**
 * Watches the parts of a platform. Until `allUp` a part that ends is a failure of the start; from then on it is started
 * again, for ever: what ends it (a full disk, a fault in what it is sent) may be mended without this process. Parts
 * stop in the reverse of the order in which they were added.
 */
export class Supervisor {
  /** Rejects when a part ended that was never up. */
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
    const now = this.options.now ?? ((): number => performance.now());
    for (let tries = 0; ;) {
      const begun = now();
      const status = await part.exited;
      if (this.stopping.signal.aborted) return;
      const ended = `${part.name} ended unexpectedly, ${describe(status)}`;
      if (!this.isUp) return this.fail(failure(ended, part));
      if (now() - begun >= quietMs) tries = 0;
      const needed = await this.revive(part, ended, tries);
      if (needed === undefined) return;
      tries += needed;
    }
  }

  /**
   * Begins another life of a part after some `former` ones that were short; answers how many tries it took, undefined
   * when it is not wanted any more.
   */
  private async revive(part: Part, ended: string, former: number): Promise<number | undefined> {
    let [event, cause] = [ended, lastLine(part)];
    for (let tries = 1; ; tries += 1) {
      const pauseMs = Math.min(longestPauseMs, firstPauseMs * 2 ** (former + tries - 1));
      this.options.onStep(`${event}: starting it again in ${pauseMs / 1000} s${cause === '' ? '' : ` (${cause})`}`);
      await (this.options.pause ?? pause)(pauseMs, this.stopping.signal);
      if (this.stopping.signal.aborted) return undefined;
      const restart = part.restart();
      this.restarts.add(restart);
      try {
        await restart;
        return tries;
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
  const said = part.lastLines().at(-1)?.trim().replace(/\s+/g, ' ');
  return said === undefined || said === '' ? '' : `the end of its log: ${said}`;
}

/** One line: a full explanation belongs to a start that fails for good. */
function causeOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).split('\n')[0] ?? '';
}

function describe({ code, signal }: ExitStatus): string {
  if (signal !== null) return `by ${signal}`;
  return code === null ? 'before it ran' : `with exit code ${code}`;
}

function failure(ended: string, part: Part): ProvisionError {
  const said = part.lastLines().map((line) => `\n    ${line}`);
  return new ProvisionError(`${ended}.`, `The end of its log:${said.join('')}`);
}
