import { PeriodicTasks } from '@app/dispatch';
import { Injectable } from '@nestjs/common';
import { Cron, CronExpression } from '@nestjs/schedule';
import { PassedSchedulesService } from './passed-schedules.service.js';

/** Keeps `next_execution_at` of jobs in the future. */
@Injectable()
export class PassedSchedulesTask {
  constructor(
    private readonly schedules: PassedSchedulesService,
    private readonly tasks: PeriodicTasks,
  ) {}

  @Cron(CronExpression.EVERY_SECOND, { name: 'jobs.passed_schedules', waitForCompletion: true })
  async schedule(): Promise<void> {
    await this.tasks.run('jobs.passed_schedules', (signal) => this.schedules.move(signal));
  }
}
