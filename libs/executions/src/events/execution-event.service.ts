import { EventLog, type ExecutionRef, type NewEvent, type PublishedEvent } from '@app/events';
import { Clock, type Scope } from '@app/kernel';
import { createLogger } from '@app/observability';
import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { executionNotFound, leaseLost } from '../executions/execution.errors.js';
import { ExecutionRepository } from '../executions/execution.repository.js';
import { LeaseRepository } from '../leases/lease.repository.js';

/** Executions known to exist; an id never stops naming its execution. */
const KNOWN_EXECUTIONS = 100_000;
const KNOWN_LEASES = 10_000;
/** Share of a lease after which an event renews it. */
const RENEW_AFTER = 0.25;
const RENEWAL_TAKES_MS = 1000;
/** How often one event is tried again under a token that PostgreSQL says is the current one. */
const CONFIRMATIONS = 3;

/** A lease this process renewed, and when the next event may renew it again (milliseconds since the epoch). */
interface KnownLease {
  readonly token: string;
  readonly renewFrom: number;
}

/** Events workers publish. In the ordinary case one is a single round trip to Redis, and no question to Postgres. */
@Injectable()
export class ExecutionEventService {
  private readonly logger = createLogger('execution-events');
  private readonly known = new LRUCache<string, true>({ max: KNOWN_EXECUTIONS });
  private readonly leases = new LRUCache<string, KnownLease>({ max: KNOWN_LEASES });

  constructor(
    private readonly log: EventLog,
    private readonly executions: ExecutionRepository,
    private readonly leaseRows: LeaseRepository,
    private readonly clock: Clock,
  ) {}

  /** With a lease token the event is fenced: a token that is not the current one is a conflict. */
  async publish(
    scope: Scope,
    executionId: string,
    event: NewEvent,
    leaseToken: string | null,
  ): Promise<PublishedEvent> {
    const ref = { organizationId: scope.organizationId, executionId };
    await this.checkExists(ref);
    const renewal = leaseToken === null ? undefined : this.renewSometimes(ref, leaseToken);
    const published = await this.log.publish(ref, event, leaseToken);
    if (published === null) return this.publishConfirmed(ref, event, leaseToken ?? '', renewal);
    if (renewal !== undefined) this.forgetUnless(renewal, ref);
    return published;
  }

  private async checkExists(ref: ExecutionRef): Promise<void> {
    const key = keyOf(ref);
    if (this.known.has(key)) return;
    if ((await this.executions.findGuards(ref, ref.executionId)) === undefined) throw executionNotFound();
    this.known.set(key, true);
  }

  /**
   * The event log does not know the token: it never heard of it, it forgot, or the token is stale. More than one round
   * is only needed where a former holder's token was told to the event log in between.
   */
  private async publishConfirmed(
    ref: ExecutionRef,
    event: NewEvent,
    token: string,
    renewal: Promise<boolean> | undefined,
  ): Promise<PublishedEvent> {
    for (let round = 0; round < CONFIRMATIONS; round += 1) {
      const isCurrent = await (round === 0 && renewal !== undefined ? renewal : this.confirm(ref, token));
      if (!isCurrent) break;
      const published = await this.log.publish(ref, event, token);
      if (published !== null) return published;
    }
    throw leaseLost();
  }

  /**
   * Asks PostgreSQL whether the token is the current one, renews its lease, and tells the event log. Nobody else tells
   * it. The lease may end between the renewal and the telling, and what ends it may have cleared the log's copy before
   * the telling: so the row is looked at once more afterwards.
   */
  private async confirm(ref: ExecutionRef, token: string): Promise<boolean> {
    const validMs = await this.leaseRows.renew(ref, ref.executionId, token, this.clock.now());
    if (validMs === null) return false;
    await this.log.setLease(ref, token, validMs);
    const row = await this.executions.findGuards(ref, ref.executionId);
    if (row?.lease_token !== token) {
      await this.log.clearLease(ref);
      return false;
    }
    this.leases.set(keyOf(ref), { token, renewFrom: this.clock.millis() + validMs * RENEW_AFTER });
    return true;
  }

  /** Beside the publishing, not before it: the fence is the event log's. Undefined where it is not yet time. */
  private renewSometimes(ref: ExecutionRef, token: string): Promise<boolean> | undefined {
    const key = keyOf(ref);
    const lease = this.leases.get(key);
    if (lease?.token === token && this.clock.millis() < lease.renewFrom) return undefined;
    // Not again before the answer is here.
    this.leases.set(key, { token, renewFrom: this.clock.millis() + RENEWAL_TAKES_MS });
    const renewal = this.confirm(ref, token);
    renewal.then(
      (isCurrent) => isCurrent || this.leases.delete(key),
      (error: unknown) => {
        this.leases.delete(key);
        const reason = (error as Error).message;
        this.logger.debug({ execution_id: ref.executionId, reason }, 'lease not renewed by an event');
      },
    );
    return renewal;
  }

  /** An event passed, so the log's copy was that of its publisher. When that one is stale, its removal was lost. */
  private forgetUnless(renewal: Promise<boolean>, ref: ExecutionRef): void {
    renewal
      .then((isCurrent) => (isCurrent ? undefined : this.log.clearLease(ref)))
      // The next renewal tries it again.
      .catch(() => undefined);
  }
}

function keyOf({ organizationId, executionId }: ExecutionRef): string {
  return `${organizationId}:${executionId}`;
}
