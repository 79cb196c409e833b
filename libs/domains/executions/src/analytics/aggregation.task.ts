import { PeriodicTask } from '@app/dispatch';
import { Clock } from '@app/kernel';
import { Injectable } from '@nestjs/common';
import { CronExpression } from '@nestjs/schedule';
import { AggregationRepository } from './aggregation.repository.js';
import { KEPT_DAYS } from './series.js';

const BATCH_SIZE = 1000;
const DAY_MS = 86_400_000;

/** Adds ended executions and changed records to the aggregates that analytics reads. */
@Injectable()
export class AggregationTask {
  constructor(
    private readonly aggregates: AggregationRepository,
    private readonly clock: Clock,
  ) {}

  /**
   * Readers also include facts that are not aggregated yet, so the interval only determines how many of these they
   * read.
   */
  @PeriodicTask(CronExpression.EVERY_5_SECONDS, 'executions.aggregate')
  async run(signal: AbortSignal): Promise<void> {
    await inBatches(signal, () => this.aggregates.addCauses(BATCH_SIZE));
    await inBatches(signal, () => this.aggregates.aggregateFacts(BATCH_SIZE));
    await inBatches(signal, () => this.aggregates.aggregateRecordChanges(BATCH_SIZE));
    for (const [seconds, days] of Object.entries(KEPT_DAYS)) {
      const before = new Date(this.clock.millis() - days * DAY_MS);
      await inBatches(signal, () => this.aggregates.pruneSeries(Number(seconds), before, BATCH_SIZE));
    }
  }
}

async function inBatches(signal: AbortSignal, work: () => Promise<number>): Promise<void> {
  while (!signal.aborted && (await work()) === BATCH_SIZE);
}
