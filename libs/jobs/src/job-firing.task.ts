import { PeriodicTasks } from '@app/dispatch';
import { Injectable } from '@nestjs/common';
import { Cron, CronExpression } from '@nestjs/schedule';
import { JobFiringService } from './job-firing.service.js';
import { JobInstantService } from './job-instant.service.js';

/** Jobs whose instants are recorded in one transaction. */
const RECORDED = 50;
/** Instants that one dispatcher starts at a time. */
const STARTED = 10;

/** Starts what is due and no alarm has started: Redis was away, or a dispatcher died between an instant and its start. */
@Injectable()
export class JobFiringTask {
  constructor(
    private readonly instants: JobInstantService,
    private readonly firing: JobFiringService,
    private readonly tasks: PeriodicTasks,
  ) {}

  @Cron(CronExpression.EVERY_SECOND, { name: 'jobs.fire_due', waitForCompletion: true })
  async schedule(): Promise<void> {
    await this.tasks.run('jobs.fire_due', (signal) => this.run(signal));
  }

  /** Records before it starts: many slow starts must not let the catch-up window of other jobs pass. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const recorded = await this.instants.recordDue(RECORDED);
      const started = recorded === RECORDED ? STARTED : await this.firing.startDue(STARTED);
      if (recorded < RECORDED && started < STARTED) return;
    }
  }
}
