import { RetentionConfig } from '@app/config';
import { Partitions, retentionStart, type PartitionedTable } from '@app/database';
import { PeriodicTasks } from '@app/dispatch';
import { Clock } from '@app/kernel';
import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { TraceRetentionRepository } from './trace-retention.repository.js';

const SPANS: PartitionedTable = { table: 'spans', column: 'day', period: 'day' };
const RESOURCES: PartitionedTable = { table: 'span_resources', column: 'day', period: 'day' };

/** Partitions are created this many days ahead, so that the default partitions stay empty if no dispatcher runs for a week. */
const DAYS_AHEAD = 7;
const BATCH_SIZE = 1000;
const INTERVAL_MS = 600_000;

/** Creates the daily partitions of spans ahead of time, and deletes expired traces with their spans. */
@Injectable()
export class TraceRetentionTask implements OnApplicationBootstrap {
  constructor(
    private readonly partitions: Partitions,
    private readonly traces: TraceRetentionRepository,
    private readonly config: RetentionConfig,
    private readonly clock: Clock,
    private readonly tasks: PeriodicTasks,
  ) {}

  /** The first run is at start, because a new installation needs partitions at once. */
  onApplicationBootstrap(): void {
    this.tasks.every('traces.partition_spans', INTERVAL_MS, (signal) => this.run(signal));
  }

  /** Deletes the traces before their spans, so that no trace is listed without its spans. */
  async run(signal: AbortSignal): Promise<void> {
    const now = this.clock.now();
    const { traceDays } = this.config;
    const retainedFrom = traceDays === 0 ? undefined : retentionStart(SPANS, now, traceDays);
    if (retainedFrom !== undefined) {
      const day = retainedFrom.toISOString().slice(0, 10);
      while (!signal.aborted && (await this.traces.prune(day, BATCH_SIZE)) === BATCH_SIZE);
    }
    for (const table of [SPANS, RESOURCES]) {
      if (!signal.aborted) await this.partitions.maintain(table, { now, ahead: DAYS_AHEAD, retainedFrom }, signal);
    }
  }
}
