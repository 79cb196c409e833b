import { randomBytes } from 'node:crypto';
import { TaskQueues, type Delivery } from '@app/dispatch';
import { Clock, type Scope } from '@app/kernel';
import { createLogger } from '@app/observability';
import { Injectable } from '@nestjs/common';
import { LeaseReleaseService } from './lease-release.service.js';
import { LeaseRepository } from './lease.repository.js';
import type { HandBackCause, LeasedExecution, PollRequest, WorkerCommand } from './lease.types.js';

/** 192 bits: nobody guesses a token. */
const TOKEN_BYTES = 24;

/** Who may run what, and until when. The truth is in the executions table; see ADR 0004. */
@Injectable()
export class LeaseService {
  private readonly logger = createLogger('leases');

  constructor(
    private readonly leases: LeaseRepository,
    private readonly releases: LeaseReleaseService,
    private readonly queues: TaskQueues,
    private readonly clock: Clock,
  ) {}

  /** Leases of up to `max` executions of the queue, as soon as there is one; none when the time is over. */
  async poll(scope: Scope, request: PollRequest): Promise<LeasedExecution[]> {
    const deadline = this.clock.millis() + request.waitMs;
    for (;;) {
      const waitMs = Math.max(0, deadline - this.clock.millis());
      const deliveries = await this.queues.receive(request.queueId, { ...request, waitMs });
      if (deliveries.length === 0) return [];
      const leased = await this.claimAll(scope, request, deliveries);
      if (request.signal?.aborted === true) {
        await this.giveBack(scope, leased);
        return [];
      }
      if (leased.length > 0) return leased;
    }
  }

  /** Renews every lease of the worker, and answers what it has to be told; one statement. */
  async renewAll(scope: Scope, workerId: string, leaseMs: number): Promise<readonly WorkerCommand[]> {
    return this.leases.renewAll(scope, workerId, this.clock.now(), leaseMs);
  }

  /** What a worker has to be told, without renewing anything. */
  async commandsFor(scope: Scope, workerId: string): Promise<readonly WorkerCommand[]> {
    return this.leases.commandsFor(scope, workerId, this.clock.now());
  }

  /** All executions of a worker that goes away become available at once. Answers how many there were. */
  async handBack(scope: Scope, workerId: string, cause: HandBackCause): Promise<number> {
    return this.releases.handBack(scope, workerId, cause);
  }

  /**
   * Leases their worker does not learn of go back to their queue and cost no attempt. Never fails: what could not go
   * back is released when its lease runs out.
   */
  async giveBack(scope: Scope, leases: readonly LeasedExecution[]): Promise<void> {
    const outcomes = await Promise.allSettled(leases.map((lease) => this.releases.giveBack(scope, lease)));
    const failures = outcomes.filter((outcome) => outcome.status === 'rejected');
    const [first] = failures;
    if (first === undefined) return;
    this.logger.warn({ err: first.reason, leases: failures.length }, 'leases could not be given back; they run out');
  }

  /** What was taken from the queue and could not be claimed for an error goes back into it. */
  private async claimAll(
    scope: Scope,
    request: PollRequest,
    deliveries: readonly Delivery[],
  ): Promise<LeasedExecution[]> {
    const claims = await Promise.allSettled(deliveries.map((delivery) => this.claim(scope, request, delivery)));
    const leased = claims.flatMap((claim) => (claim.status === 'fulfilled' ? (claim.value ?? []) : []));
    const failed = claims.find((claim) => claim.status === 'rejected');
    if (failed !== undefined) {
      const unclaimed = deliveries.filter((_delivery, index) => claims[index]?.status === 'rejected');
      await this.queues.enqueue(request.queueId, ...unclaimed).catch((error: unknown) => {
        this.logger.warn({ err: error, deliveries: unclaimed.length }, 'deliveries lost for now; they are reconciled');
      });
      if (leased.length === 0) throw failed.reason;
    }
    return leased;
  }

  /** A delivery that no longer holds (taken, cancelled, of an older attempt) is dropped: undefined. */
  private async claim(scope: Scope, request: PollRequest, delivery: Delivery): Promise<LeasedExecution | undefined> {
    const { workerId, queueId, leaseMs, confirmMs } = request;
    const { executionId, attempt } = delivery;
    const { organizationId } = scope;
    const token = randomBytes(TOKEN_BYTES).toString('base64url');
    // A write under the token gives it its full length; heartbeats do so only once it was said to be running.
    const expiresAt = new Date(this.clock.millis() + Math.min(leaseMs, confirmMs));
    const claim = { organizationId, executionId, attempt, queueId, workerId, token, expiresAt, leaseMs };
    const execution = await this.leases.claim(claim);
    if (execution === undefined) return undefined;
    this.logger.info({ execution_id: executionId, worker_id: workerId, attempt }, 'execution leased');
    return { leaseToken: token, attempt, expiresAt, execution };
  }
}
