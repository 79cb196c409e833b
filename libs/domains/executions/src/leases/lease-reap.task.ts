import { DispatchConfig } from '@app/config';
import { Database, databaseTime } from '@app/database';
import { PeriodicTasks } from '@app/dispatch';
import { Clock } from '@app/kernel';
import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { LeaseReleaseService } from './lease-release.service.js';

/** A longer time between two runs means that the process or the database was interrupted. */
const MAX_STEP_MS = 10_000;

/**
 * Releases the leases of dead workers, and ends runs that exceed their time limit. A worker whose heartbeats the
 * platform could not receive does not count as dead: after a start, an outage of the database or a suspension of the
 * machine, every worker has `LEASE_GRACE_MS` to renew its leases. Each batch releases only leases that had expired at
 * the last check for an interruption, because the machine can be suspended between this check and the statement.
 */
@Injectable()
export class LeaseReapTask implements OnApplicationBootstrap {
  private lastCheckAt = Number.NEGATIVE_INFINITY;
  private reachableSince = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly releases: LeaseReleaseService,
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly tasks: PeriodicTasks,
    private readonly config: DispatchConfig,
  ) {}

  onApplicationBootstrap(): void {
    this.tasks.everyReconcileInterval('executions.reap_leases', (signal) => this.run(signal));
  }

  async run(signal: AbortSignal): Promise<void> {
    await this.inBatches(signal, (until) => this.releases.reapExpired(until));
    await this.inBatches(signal, (until) => this.releases.endTimedOut(until));
  }

  private async inBatches(signal: AbortSignal, work: (until: Date) => Promise<boolean>): Promise<void> {
    let isMore = true;
    while (isMore && !signal.aborted) {
      const until = await this.releasableUntil();
      isMore = until !== null && (await work(until));
    }
  }

  /** Returns the time of the database; null while workers have time to renew their leases. */
  private async releasableUntil(): Promise<Date | null> {
    const until = await databaseTime(this.database);
    const now = this.clock.millis();
    if (now - this.lastCheckAt > this.config.reconcileIntervalMs + MAX_STEP_MS) this.reachableSince = now;
    this.lastCheckAt = now;
    return now - this.reachableSince >= this.config.leaseGraceMs ? until : null;
  }
}
