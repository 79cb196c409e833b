import { EnvVar } from './env-var.js';
import { decimal, integer } from './parsers.js';

/**
 * Lease durations and the interval of recovery. With `leaseHeartbeats` below 1, leases expire between two heartbeats of a
 * healthy worker.
 */
export class DispatchConfig {
  @EnvVar('LEASE_HEARTBEATS', decimal({ min: 0.05, max: 2 }), {
    default: 1.5,
    doc: 'Duration of a lease without renewal, as a multiple of the heartbeat interval of the queue.',
  })
  readonly leaseHeartbeats!: number;

  @EnvVar('LEASE_CONFIRM_MS', integer({ min: 500, max: 600_000 }), {
    default: 30_000,
    doc: 'Time within which a worker must start a leased execution before another worker gets it, in milliseconds.',
  })
  readonly leaseConfirmMs!: number;

  @EnvVar('LEASE_GRACE_MS', integer({ min: 0, max: 600_000 }), {
    default: 15_000,
    doc: 'Time that workers have to send a heartbeat after an outage of the platform before their leases expire, in milliseconds.',
  })
  readonly leaseGraceMs!: number;

  @EnvVar('RECONCILE_INTERVAL_MS', integer({ min: 50, max: 60_000 }), {
    default: 1000,
    doc: 'Interval of the recovery of lost deliveries and expired leases, in milliseconds.',
  })
  readonly reconcileIntervalMs!: number;
}
