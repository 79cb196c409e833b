import { PeriodicTask } from '@app/dispatch';
import { Injectable } from '@nestjs/common';
import { CronExpression } from '@nestjs/schedule';
import { WorkStops } from './work-stops.js';

const BATCH_SIZE = 1000;

/** Deletes stops that no request can need any more. */
@Injectable()
export class WorkStopPruneTask {
  constructor(private readonly stops: WorkStops) {}

  @PeriodicTask(CronExpression.EVERY_10_MINUTES, 'executions.prune_stops')
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted && (await this.stops.prune(BATCH_SIZE)) === BATCH_SIZE);
  }
}
