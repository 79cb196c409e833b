import { DispatchConfig } from '@app/config';
import { Database } from '@app/database';
import { PeriodicTasks } from '@app/dispatch';
import { Clock } from '@app/kernel';
import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { LeaseReleaseService } from './lease-release.service.js';

/** A longer delay between two runs means that the process or the database was interrupted. */
const MAX_STEP_MS = 10_000;

/**
 * Releases the leases of dead workers, and ends runs that exceed their time limit. A missing heartbeat counts only
 * while it could have been received: after a start of the platform, an outage of the database or a suspended machine,
 * every worker has `LEASE_GRACE_MS` to renew its leases.
 */
@Injectable()
export class LeaseReapTask implements OnApplicationBootstrap {
  private lastRunAt = Number.NEGATIVE_INFINITY;
  private reachableSince = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly releases: LeaseReleaseService,
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly tasks: PeriodicTasks,
    private readonly config: DispatchConfig,
  ) {}

  onApplicationBootstrap(): void {
    this.tasks.every('executions.reap_leases', this.config.reconcileIntervalMs, (signal) => this.run(signal));
  }

  async run(signal: AbortSignal): Promise<void> {
    const now = this.clock.millis();
    if (now - this.lastRunAt > this.config.reconcileIntervalMs + MAX_STEP_MS) this.reachableSince = now;
    if (now - this.reachableSince >= this.config.leaseGraceMs) {
      while (!signal.aborted && (await this.releases.reapExpired()));
      while (!signal.aborted && (await this.releases.endTimedOut()));
    } else {
      await this.database.ping();
    }
    this.lastRunAt = this.clock.millis();
  }
}
