import { PeriodicTask } from '@app/dispatch';
import { Injectable } from '@nestjs/common';
import { CronExpression } from '@nestjs/schedule';
import { setTimeout as pause } from 'node:timers/promises';
import { JobFiringService } from './job-firing.service.js';
import { JobInstantService } from './job-instant.service.js';

/**
 * Number of jobs whose instants are recorded in one transaction. Each transaction ranks all due jobs again, so larger
 * batches take less time in total.
 */
const RECORDED = 200;
/**
 * Number of instants that one dispatcher takes at a time. It must start them within 6 s, because other dispatchers may
 * take them afterwards.
 */
const STARTED = 50;
/**
 * Maximum pause after a run. It is short so that due instants do not wait. A longer pause after a long run is not
 * needed, because starting many instants takes long but does not overload a store.
 */
const MAX_REST_MS = 500;
/** Maximum pause between two looks for instants that are due, while instants are recorded. */
const MAX_WAIT_MS = 1000;

/**
 * Starts due instants that no wake-up has started: Redis was unreachable, or a dispatcher died between recording an
 * instant and starting it.
 */
@Injectable()
export class JobFiringTask {
  constructor(
    private readonly instants: JobInstantService,
    private readonly firing: JobFiringService,
  ) {}

  /**
   * Records instants concurrently with the starts, so that the catch-up windows of other jobs do not pass during slow
   * starts.
   */
  @PeriodicTask(CronExpression.EVERY_SECOND, 'jobs.fire_due', MAX_REST_MS)
  async run(signal: AbortSignal): Promise<void> {
    const recording = new Recording(signal, () => this.instants.recordDue(RECORDED));
    try {
      let isLast: boolean;
      do {
        isLast = recording.hasEnded || signal.aborted;
        await whileFull(STARTED, signal, (limit) => this.firing.startDue(limit));
        if (!isLast) await recording.progress();
      } while (!isLast);
    } finally {
      // If starts failed, the next run records: two recordings never overlap.
      await recording.stop();
    }
    await recording.end;
  }
}

/** Records instants, batch after batch, as long as the batches are full. */
class Recording {
  hasEnded = false;
  /** Resolves after the last batch, and rejects if a batch fails. */
  readonly end: Promise<void>;
  private batch: Promise<number> | undefined;
  private readonly stopping = new AbortController();

  constructor(signal: AbortSignal, recordBatch: () => Promise<number>) {
    const stopped = AbortSignal.any([signal, this.stopping.signal]);
    this.end = whileFull(RECORDED, stopped, () => (this.batch = recordBatch())).finally(() => {
      this.hasEnded = true;
    });
    // Ignored here: the caller awaits `end` after the starts in progress have ended.
    this.end.catch(() => undefined);
  }

  /** Resolves after the current batch. */
  async stop(): Promise<void> {
    this.stopping.abort();
    await Promise.allSettled([this.end]);
  }

  /**
   * Waits for the end of the current batch, whose instants can then be started, or for `MAX_WAIT_MS`, because other
   * instants can become due while a batch waits for locks.
   */
  async progress(): Promise<void> {
    const waited = new AbortController();
    const longest = pause(MAX_WAIT_MS, undefined, { signal: waited.signal }).catch(() => undefined);
    await Promise.allSettled([Promise.race([this.batch, longest])]);
    waited.abort();
  }
}

/** Repeats a step as long as it returns its limit, because then there may be more to do. */
async function whileFull(limit: number, signal: AbortSignal, step: (limit: number) => Promise<number>): Promise<void> {
  while (!signal.aborted && (await step(limit)) === limit);
}
