import { EventLog, type ExecutionRef, type NewEvent, type PublishedEvent } from '@app/events';
import { Clock, type Scope } from '@app/kernel';
import { createLogger } from '@app/observability';
import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { executionNotFound, leaseLost } from '../executions/execution.errors.js';
import { ExecutionRepository } from '../executions/execution.repository.js';
import { LeaseRepository } from '../leases/lease.repository.js';

/**
 * Cached ids of existing executions. An id can stay in the cache after its execution was deleted by retention. An event
 * that a client then sends to this execution is stored in a log that expires.
 */
const MAX_CACHED_EXECUTIONS = 100_000;
const MAX_CACHED_LEASES = 10_000;
/** Share of a lease after which an event renews it. */
const RENEW_AFTER_SHARE = 0.25;
/** Milliseconds after which a renewal that has not settled may be repeated. */
const RENEWAL_RETRY_MS = 1000;
/** Maximum number of times that an event is published again after PostgreSQL confirmed its token. */
const MAX_CONFIRMATIONS = 3;

/** A lease that this process renewed. */
interface CachedLease {
  readonly token: string;
  /** When an event may renew it again, in milliseconds since the epoch. */
  readonly renewFrom: number;
}

/**
 * Publishes events of workers. In the common case an event costs one round trip to Redis and no query to PostgreSQL.
 */
@Injectable()
export class ExecutionEventService {
  private readonly logger = createLogger('execution-events');
  private readonly existing = new LRUCache<string, true>({ max: MAX_CACHED_EXECUTIONS });
  private readonly leases = new LRUCache<string, CachedLease>({ max: MAX_CACHED_LEASES });

  constructor(
    private readonly log: EventLog,
    private readonly executions: ExecutionRepository,
    private readonly leaseRows: LeaseRepository,
    private readonly clock: Clock,
  ) {}

  /** Throws `not_found` for an unknown execution, and `lease_lost` for a stale lease token; null skips the fence. */
  async publish(
    scope: Scope,
    executionId: string,
    event: NewEvent,
    leaseToken: string | null,
  ): Promise<PublishedEvent> {
    const ref = { organizationId: scope.organizationId, executionId };
    await this.checkExists(ref);
    const renewal = leaseToken === null ? undefined : this.renewIfDue(ref, leaseToken);
    const published = await this.log.publish(ref, event, leaseToken);
    if (published === null) return this.publishConfirmed(ref, event, leaseToken ?? '', renewal);
    if (renewal !== undefined) this.clearUnlessCurrent(renewal, ref);
    return published;
  }

  private async checkExists(ref: ExecutionRef): Promise<void> {
    const key = keyOf(ref);
    if (this.existing.has(key)) return;
    if ((await this.executions.findGuards(ref, ref.executionId)) === undefined) throw executionNotFound();
    this.existing.set(key, true);
  }

  /**
   * Publishes an event whose token the event log rejected: the token was never set, was lost, or is stale. More than
   * one confirmation is needed only if the token of a previous holder was set concurrently.
   */
  private async publishConfirmed(
    ref: ExecutionRef,
    event: NewEvent,
    token: string,
    renewal: Promise<boolean> | undefined,
  ): Promise<PublishedEvent> {
    for (let round = 0; round < MAX_CONFIRMATIONS; round += 1) {
      const isCurrent = await (round === 0 && renewal !== undefined ? renewal : this.confirm(ref, token));
      if (!isCurrent) break;
      const published = await this.log.publish(ref, event, token);
      if (published !== null) return published;
    }
    throw leaseLost();
  }

  /**
   * Returns whether PostgreSQL holds the token as the current one; if so, renews its lease and sets it in the event
   * log. No other code sets it there. The lease may end after the renewal, and its end may clear the event log before
   * the token is set: the row is therefore read again afterwards.
   */
  private async confirm(ref: ExecutionRef, token: string): Promise<boolean> {
    const validMs = await this.leaseRows.renew(ref, ref.executionId, token);
    if (validMs === null) return false;
    await this.log.setLease(ref, token, validMs);
    const row = await this.executions.findGuards(ref, ref.executionId);
    if (row?.lease_token !== token) {
      await this.log.clearLease(ref);
      return false;
    }
    this.leases.set(keyOf(ref), { token, renewFrom: this.clock.millis() + validMs * RENEW_AFTER_SHARE });
    return true;
  }

  /**
   * Renews the lease without delaying the publication, which the event log fences. Returns undefined if no renewal is
   * due.
   */
  private renewIfDue(ref: ExecutionRef, token: string): Promise<boolean> | undefined {
    const key = keyOf(ref);
    const lease = this.leases.get(key);
    if (lease?.token === token && this.clock.millis() < lease.renewFrom) return undefined;
    // Prevents concurrent renewals of the lease while this one is in progress.
    this.leases.set(key, { token, renewFrom: this.clock.millis() + RENEWAL_RETRY_MS });
    const renewal = this.confirm(ref, token);
    renewal.then(
      (isCurrent) => isCurrent || this.leases.delete(key),
      (error: unknown) => {
        this.leases.delete(key);
        const reason = (error as Error).message;
        this.logger.debug({ execution_id: ref.executionId, reason }, 'renewing a lease with an event failed');
      },
    );
    return renewal;
  }

  /**
   * If the renewal finds the token stale, removes it from the event log: its removal at the end of the lease must
   * have failed.
   */
  private clearUnlessCurrent(renewal: Promise<boolean>, ref: ExecutionRef): void {
    renewal
      .then((isCurrent) => (isCurrent ? undefined : this.log.clearLease(ref)))
      // The next renewal retries.
      .catch(() => undefined);
  }
}

function keyOf({ organizationId, executionId }: ExecutionRef): string {
  return `${organizationId}:${executionId}`;
}
