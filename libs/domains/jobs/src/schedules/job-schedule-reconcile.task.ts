import { PeriodicTask } from '@app/dispatch';
import { Injectable } from '@nestjs/common';
import { CronExpression } from '@nestjs/schedule';
import { JobScheduleReconcileService } from './job-schedule-reconcile.service.js';

/** Rebuilds schedulers that Redis has lost. */
@Injectable()
export class JobScheduleReconcileTask {
  constructor(private readonly schedules: JobScheduleReconcileService) {}

  @PeriodicTask(CronExpression.EVERY_10_SECONDS, 'jobs.reconcile_schedules')
  async run(signal: AbortSignal): Promise<void> {
    await this.schedules.reconcile(signal);
  }
}
