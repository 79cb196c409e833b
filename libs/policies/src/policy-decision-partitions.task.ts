import { PolicyConfig } from '@app/config';
import { PeriodicTask } from '@app/dispatch';
import { Clock } from '@app/kernel';
import { Injectable } from '@nestjs/common';
import { keptFrom, weekOfTable, weeksFrom } from './policy-decision-partitions.js';
import { PolicyDecisionPartitionsRepository } from './policy-decision-partitions.repository.js';

/** Tables stand ready for so many weeks to come, so that the rest stays empty while no dispatcher runs for a month. */
const WEEKS_AHEAD = 4;

/** Keeps the decision log in weeks: makes tables ahead of time, and drops those whose time is over. */
@Injectable()
export class PolicyDecisionPartitionsTask extends PeriodicTask {
  override readonly name = 'policies.partition_decisions';
  override readonly intervalMs = 600_000;

  constructor(
    private readonly partitions: PolicyDecisionPartitionsRepository,
    private readonly config: PolicyConfig,
    private readonly clock: Clock,
  ) {
    super();
  }

  override async run(signal: AbortSignal): Promise<void> {
    const now = this.clock.now();
    const kept = keptFrom(now, this.config.decisionDays);
    await this.partitions.deleteFromRest(kept);
    const present = new Set(await this.partitions.tables());
    const wanted = [...weeksFrom(now, WEEKS_AHEAD), ...(await this.partitions.weeksInRest())];
    for (const week of wanted.filter(({ table }) => !present.has(table))) {
      if (signal.aborted) return;
      await this.partitions.create(week);
    }
    for (const week of [...present].flatMap((table) => weekOfTable(table) ?? [])) {
      if (week.to <= kept && !signal.aborted) await this.partitions.drop(week);
    }
  }
}
