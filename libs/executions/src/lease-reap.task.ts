import { DispatchConfig } from '@app/config';
import { PeriodicTask } from '@app/dispatch';
import { Injectable } from '@nestjs/common';
import { LeaseReleaseService } from './lease-release.service.js';

/** Recovers the work of dead workers. */
@Injectable()
export class LeaseReapTask extends PeriodicTask {
  override readonly name = 'executions.reap_leases';
  override readonly intervalMs: number;

  constructor(
    private readonly releases: LeaseReleaseService,
    config: DispatchConfig,
  ) {
    super();
    this.intervalMs = config.reconcileIntervalMs;
  }

  override async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted && (await this.releases.reapExpired()));
  }
}
