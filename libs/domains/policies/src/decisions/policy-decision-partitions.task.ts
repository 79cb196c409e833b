import { PolicyConfig } from '@app/config';
import { Partitions, retentionStart, type PartitionedTable } from '@app/database';
import { PeriodicTasks } from '@app/dispatch';
import { Clock } from '@app/kernel';
import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';

export const DECISIONS: PartitionedTable = { table: 'policy_decisions', column: 'at', period: 'week' };

/** Partitions are created this many weeks ahead, so that the default partition stays empty if no dispatcher runs for a month. */
const WEEKS_AHEAD = 4;
const INTERVAL_MS = 600_000;

/** Creates the weekly partitions of the decision log ahead of time and drops expired ones. */
@Injectable()
export class PolicyDecisionPartitionsTask implements OnApplicationBootstrap {
  constructor(
    private readonly partitions: Partitions,
    private readonly config: PolicyConfig,
    private readonly clock: Clock,
    private readonly tasks: PeriodicTasks,
  ) {}

  /** The first run is at start, because a new installation needs partitions at once. */
  onApplicationBootstrap(): void {
    this.tasks.every('policies.partition_decisions', INTERVAL_MS, (signal) => this.run(signal));
  }

  async run(signal: AbortSignal): Promise<void> {
    const now = this.clock.now();
    const { decisionDays } = this.config;
    const retainedFrom = decisionDays === 0 ? undefined : retentionStart(DECISIONS, now, decisionDays);
    await this.partitions.maintain(DECISIONS, { now, ahead: WEEKS_AHEAD, retainedFrom }, signal);
  }
}
