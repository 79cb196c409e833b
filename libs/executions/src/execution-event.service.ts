import { EventLog, type NewEvent, type PublishedEvent } from '@app/events';
import { Clock, type Scope } from '@app/kernel';
import { createLogger } from '@app/observability';
import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { executionNotFound, leaseLost } from './execution.errors.js';
import { ExecutionRepository } from './execution.repository.js';
import { LeaseRepository } from './lease.repository.js';

/** Executions known to exist; an id never stops naming its execution. */
const KNOWN_EXECUTIONS = 100_000;
const KNOWN_LEASES = 10_000;
/** Share of a lease after which an event renews it. */
const RENEW_AFTER = 0.25;
const RENEWAL_TAKES_MS = 1000;

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
    await this.checkExists(scope, executionId);
    if (leaseToken !== null) this.renewSometimes(scope, executionId, leaseToken);
    const published = await this.log.publish(ref, event, leaseToken);
    if (published !== null) return published;
    await this.confirmToken(scope, executionId, leaseToken ?? '');
    const retried = await this.log.publish(ref, event, leaseToken);
    if (retried === null) throw leaseLost();
    return retried;
  }

  private async checkExists(scope: Scope, executionId: string): Promise<void> {
    const key = keyOf(scope, executionId);
    if (this.known.has(key)) return;
    if ((await this.executions.findGuards(scope, executionId)) === undefined) throw executionNotFound();
    this.known.set(key, true);
  }

  /** The event log does not know the token: it forgot (a restart, a lease renewed elsewhere), or the token is stale. */
  private async confirmToken(scope: Scope, executionId: string, token: string): Promise<void> {
    const validMs = await this.leaseRows.renew(scope, executionId, token, this.clock.now());
    if (validMs === null) throw leaseLost();
    this.noteRenewal(scope, executionId, token, validMs);
    await this.log.setLease({ organizationId: scope.organizationId, executionId }, token, validMs);
  }

  /** Beside the publishing, not before it: the fence is the event log's. */
  private renewSometimes(scope: Scope, executionId: string, token: string): void {
    const key = keyOf(scope, executionId);
    const lease = this.leases.get(key);
    if (lease?.token === token && this.clock.millis() < lease.renewFrom) return;
    // Not again before the answer is here.
    this.leases.set(key, { token, renewFrom: this.clock.millis() + RENEWAL_TAKES_MS });
    this.confirmToken(scope, executionId, token).catch((error: unknown) => {
      this.leases.delete(key);
      this.logger.debug(
        { execution_id: executionId, reason: (error as Error).message },
        'lease not renewed by an event',
      );
    });
  }

  private noteRenewal(scope: Scope, executionId: string, token: string, validMs: number): void {
    const renewFrom = this.clock.millis() + validMs * RENEW_AFTER;
    this.leases.set(keyOf(scope, executionId), { token, renewFrom });
  }
}

function keyOf({ organizationId }: Scope, executionId: string): string {
  return `${organizationId}:${executionId}`;
}
