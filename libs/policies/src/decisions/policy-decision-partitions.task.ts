import { PolicyConfig } from '@app/config';
import { PeriodicTasks } from '@app/dispatch';
import { Clock } from '@app/kernel';
import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { retentionStart, weekOfTable, weeksFrom } from './policy-decision-partitions.js';
import { PolicyDecisionPartitionsRepository } from './policy-decision-partitions.repository.js';

/** Partitions are created this many weeks ahead, so that the default partition stays empty if no dispatcher runs for a month. */
const WEEKS_AHEAD = 4;
const INTERVAL_MS = 600_000;

/** Creates the weekly partitions of the decision log ahead of time and drops expired ones. */
@Injectable()
export class PolicyDecisionPartitionsTask implements OnApplicationBootstrap {
  constructor(
    private readonly partitions: PolicyDecisionPartitionsRepository,
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
    const retainedFrom = decisionDays === 0 ? undefined : retentionStart(now, decisionDays);
    if (retainedFrom !== undefined) await this.partitions.deleteFromDefaultPartition(retainedFrom);
    const existing = new Set(await this.partitions.tables());
    const required = [...weeksFrom(now, WEEKS_AHEAD), ...(await this.partitions.weeksInDefaultPartition())];
    for (const week of required.filter(({ table }) => !existing.has(table))) {
      if (signal.aborted) return;
      await this.partitions.create(week);
    }
    if (retainedFrom === undefined) return;
    for (const week of [...existing].flatMap((table) => weekOfTable(table) ?? [])) {
      if (week.to <= retainedFrom && !signal.aborted) await this.partitions.drop(week);
    }
  }
}
