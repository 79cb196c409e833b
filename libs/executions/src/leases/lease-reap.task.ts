import { DispatchConfig } from '@app/config';
import { Database } from '@app/database';
import { PeriodicTask } from '@app/dispatch';
import { Clock } from '@app/kernel';
import { Injectable } from '@nestjs/common';
import { LeaseReleaseService } from './lease-release.service.js';

/** Runs follow each other faster than this, in milliseconds, unless the process or the database was away. */
const LONGEST_STEP_MS = 10_000;

/**
 * Recovers the work of dead workers. A silence counts against a worker only while it could have been heard: after the
 * platform's own start, a database that was away or a machine that slept, every worker has `LEASE_GRACE_MS` to renew.
 */
@Injectable()
export class LeaseReapTask extends PeriodicTask {
  override readonly name = 'executions.reap_leases';
  override readonly intervalMs: number;
  private readonly graceMs: number;
  private lastRunAt = Number.NEGATIVE_INFINITY;
  private listeningSince = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly releases: LeaseReleaseService,
    private readonly database: Database,
    private readonly clock: Clock,
    config: DispatchConfig,
  ) {
    super();
    this.intervalMs = config.reconcileIntervalMs;
    this.graceMs = config.leaseGraceMs;
  }

  override async run(signal: AbortSignal): Promise<void> {
    const now = this.clock.millis();
    if (now - this.lastRunAt > this.intervalMs + LONGEST_STEP_MS) this.listeningSince = now;
    if (now - this.listeningSince >= this.graceMs) {
      while (!signal.aborted && (await this.releases.reapExpired()));
    } else {
      await this.database.sql('SELECT 1 AS reachable');
    }
    this.lastRunAt = this.clock.millis();
  }
}
