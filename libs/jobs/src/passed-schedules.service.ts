import { setImmediate as nextTurn } from 'node:timers/promises';
import { Clock } from '@app/kernel';
import { Injectable } from '@nestjs/common';
import { nextExecutionAt } from './job-schedule.js';
import { JobRepository } from './job.repository.js';

/** Jobs per statement. */
const BATCH = 50;
/** The time of one run. A rare schedule takes 15 ms to compute, so their number is no bound. */
const RUN_MS = 500;

/**
 * Stores the next time of jobs whose stored one has passed. Lists only read it: computing the schedules of a page of jobs
 * took up to 15 seconds of a process that also serves other organizations.
 */
@Injectable()
export class PassedSchedulesService {
  constructor(
    private readonly jobs: JobRepository,
    private readonly clock: Clock,
  ) {}

  /** Works for half a second at most; the next run continues with the jobs that have waited longest. Safe to run twice at a time. */
  async move(signal: AbortSignal): Promise<void> {
    const endsAt = this.clock.millis() + RUN_MS;
    while (!signal.aborted && this.clock.millis() < endsAt) {
      const passed = await this.jobs.findPassed(this.clock.now(), BATCH);
      const moves: { job: (typeof passed)[number]; next: Date | null }[] = [];
      for (const job of passed) {
        moves.push({ job, next: nextExecutionAt(job, this.clock.now()) });
        if (this.clock.millis() >= endsAt) break;
        // Requests are served between two schedules.
        await nextTurn();
      }
      if (moves.length > 0) await this.jobs.movePassed(moves);
      if (passed.length < BATCH) return;
    }
  }
}
