import { PeriodicTasks } from '@app/dispatch';
import { Injectable } from '@nestjs/common';
import { Cron, CronExpression } from '@nestjs/schedule';
import { JobScheduleReconcileService } from './job-schedule-reconcile.service.js';

/** Rebuilds schedulers that Redis has lost. */
@Injectable()
export class JobScheduleReconcileTask {
  constructor(
    private readonly schedules: JobScheduleReconcileService,
    private readonly tasks: PeriodicTasks,
  ) {}

  @Cron(CronExpression.EVERY_10_SECONDS, { name: 'jobs.reconcile_schedules', waitForCompletion: true })
  async schedule(): Promise<void> {
    await this.tasks.run('jobs.reconcile_schedules', (signal) => this.schedules.reconcile(signal));
  }
}
