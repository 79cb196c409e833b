import { randomBytes } from 'node:crypto';
import { TaskQueues, type Delivery } from '@app/dispatch';
import { Clock, type Page, type PageResult, type Scope } from '@app/kernel';
import { createLogger } from '@app/observability';
import { Injectable } from '@nestjs/common';
import { inSpanOf } from '../executions/execution-span.js';
import { WorkStops } from '../stops/work-stops.js';
import { LeaseReleaseService } from './lease-release.service.js';
import { LeaseRepository, type Claim, type ClaimedExecution, type Claimer, type Renewal } from './lease.repository.js';
import type {
  ConfirmedLeases,
  GivenCommand,
  HeldLease,
  LeasedExecution,
  PollRequest,
  ReleaseCause,
  UndeliveredCause,
  WorkerCommand,
} from './lease.types.js';

/** 192 bits: a token cannot be guessed. */
const TOKEN_BYTES = 24;

/** Leases of executions. They are stored in the executions table; see ADR 0004. */
@Injectable()
export class LeaseService {
  private readonly logger = createLogger('leases');

  constructor(
    private readonly leases: LeaseRepository,
    private readonly releases: LeaseReleaseService,
    private readonly stops: WorkStops,
    private readonly queues: TaskQueues,
    private readonly clock: Clock,
  ) {}

  /**
   * Leases up to `max` executions of the queue as soon as one is available. Returns an empty list after `waitMs` or an
   * abort. Before the leases are delivered, `confirm` must be called with them.
   */
  async poll(scope: Scope, request: PollRequest): Promise<LeasedExecution[]> {
    const { queueId, workerId, waitMs: maxWaitMs, mayTake } = request;
    const deadline = this.clock.millis() + maxWaitMs;
    let receiving = request;
    for (;;) {
      const waitMs = Math.max(0, deadline - this.clock.millis());
      const deliveries = await this.queues.receive(queueId, { ...receiving, waitMs });
      if (deliveries.length === 0) return [];
      const leased = await this.claimAll(scope, request, deliveries);
      if (request.signal?.aborted === true) {
        await this.releaseUndelivered(scope, leased, 'response_lost');
        return [];
      }
      if (leased.length < deliveries.length && (await this.returnStopped(scope, request, deliveries, leased))) {
        // Waits until the stop is removed, whatever the status says; otherwise this loop would not end.
        const isAllowed = async (): Promise<boolean> => !(await this.stops.has(scope, queueId, workerId));
        receiving = { ...request, mayTake: async () => ((await mayTake?.()) ?? true) && (await isAllowed()) };
      }
      if (leased.length > 0) return leased;
    }
  }

  /**
   * Renews those leases of the worker whose executions have begun, and returns the commands for the worker, in one
   * statement. With `executionIds`, renews only these: the worker no longer runs the others, so their leases expire. A
   * second statement waits for executions that other transactions have locked and whose leases expire soon; if such a
   * transaction hangs, only the lease of its execution is lost.
   */
  async renewAll(
    scope: Scope,
    workerId: string,
    leaseMs: number,
    executionIds?: readonly string[],
  ): Promise<readonly WorkerCommand[]> {
    const renewal = { workerId, leaseMs, executionIds: executionIds ?? null };
    const { commands, locked } = await this.leases.renewAll(scope, renewal);
    if (locked.length > 0) await this.renewLocked(scope, { ...renewal, executionIds: locked });
    return commands;
  }

  private async renewLocked(scope: Scope, renewal: Renewal): Promise<void> {
    await this.leases.renewLocked(scope, renewal).catch((error: unknown) => {
      const { workerId, executionIds } = renewal;
      this.logger.warn(
        { err: error, worker_id: workerId, executions: executionIds },
        'renewing leases failed, their executions are still locked',
      );
    });
  }

  /** Returns the leases of a worker, those of the newest executions first. */
  async listHeld(scope: Scope, workerId: string, page: Page): Promise<PageResult<HeldLease>> {
    return this.leases.listHeld(scope, workerId, page);
  }

  /** Returns the commands for a worker without renewing its leases. */
  async commandsFor(scope: Scope, workerId: string): Promise<readonly WorkerCommand[]> {
    const commands = await this.leases.findCommands(scope, workerId);
    return commands.map(({ command, execution_id }) => ({ command, execution_id }));
  }

  /** Like `commandsFor`, with the times of the commands. */
  async givenCommandsFor(scope: Scope, workerId: string): Promise<readonly GivenCommand[]> {
    return this.leases.findCommands(scope, workerId);
  }

  /** Stores how long the run of a lease may take, in milliseconds; null: the default. */
  async setTimeLimit(
    scope: Scope,
    { execution, leaseToken }: LeasedExecution,
    timeoutMs: number | null,
  ): Promise<void> {
    await this.leases.setTimeLimit(scope, { executionId: execution.id, token: leaseToken }, timeoutMs);
  }

  /**
   * Returns those of the leases that may be delivered to the worker, and its commands. The queue may have been paused,
   * the worker disconnected or the execution cancelled since the poll acquired the lease; these leases are released.
   * Every change that was committed before the call is taken into account.
   */
  async confirm(scope: Scope, workerId: string, leases: readonly LeasedExecution[]): Promise<ConfirmedLeases> {
    const keys = leases.map(({ execution, leaseToken }) => ({ executionId: execution.id, token: leaseToken }));
    const { commands, deliverable } = await this.leases.confirm(scope, workerId, keys);
    const refused = leases.filter(({ execution }) => !deliverable.has(execution.id));
    await this.releaseUndelivered(scope, refused, 'response_lost');
    return { commands, deliverable: new Set(leases.filter((lease) => !refused.includes(lease))) };
  }

  /** Releases all leases of a worker that disconnects, and returns their number. */
  async releaseAll(scope: Scope, workerId: string, cause: ReleaseCause): Promise<number> {
    return this.releases.releaseAll(scope, workerId, cause);
  }

  /** Releases leases that did not reach their worker. Never rejects: a lease that could not be released expires. */
  async releaseUndelivered(scope: Scope, leases: readonly LeasedExecution[], cause: UndeliveredCause): Promise<void> {
    const releases = leases.map((lease) => this.releases.releaseUndelivered(scope, lease, cause));
    const outcomes = await Promise.allSettled(releases);
    const failures = outcomes.filter((outcome) => outcome.status === 'rejected');
    const [first] = failures;
    if (first === undefined) return;
    this.logger.warn(
      { err: first.reason, leases: failures.length },
      'releasing undelivered leases failed; they will expire',
    );
  }

  /**
   * Claims all deliveries in one statement. The statement leaves out deliveries that are no longer valid or whose
   * executions are locked: these are then tried one by one, which waits for the locks. Enqueues deliveries again if their
   * claim failed with an error. Rejects only if no delivery was claimed.
   */
  private async claimAll(
    scope: Scope,
    request: PollRequest,
    deliveries: readonly Delivery[],
  ): Promise<LeasedExecution[]> {
    const together = deliveries.length > 1 ? this.claimTogether(scope, request, deliveries) : NONE;
    const claims = await Promise.allSettled(
      deliveries.map(async (delivery) => (await together).get(delivery) ?? this.claim(scope, request, delivery)),
    );
    const leased = claims.flatMap((claim) => (claim.status === 'fulfilled' ? (claim.value ?? []) : []));
    const rejected = claims.find((claim) => claim.status === 'rejected');
    if (rejected !== undefined) {
      const unclaimed = deliveries.filter((_delivery, index) => claims[index]?.status === 'rejected');
      await this.queues.enqueue(request.queueId, ...unclaimed).catch((error: unknown) => {
        this.logger.warn({ err: error, deliveries: unclaimed.length }, NOT_QUEUED_AGAIN);
      });
      if (leased.length === 0) throw rejected.reason;
    }
    return leased;
  }

  /**
   * Enqueues the deliveries again that were not claimed because the queue or the worker was stopped after `mayTake`:
   * their executions still wait. Returns whether there is such a stop; false if a store cannot be reached.
   */
  private async returnStopped(
    scope: Scope,
    { queueId, workerId }: PollRequest,
    deliveries: readonly Delivery[],
    leased: readonly LeasedExecution[],
  ): Promise<boolean> {
    const claimed = new Set(leased.map(({ execution }) => execution.id));
    const unclaimed = deliveries.filter(({ executionId }) => !claimed.has(executionId));
    try {
      if (!(await this.stops.has(scope, queueId, workerId))) return false;
      await this.queues.enqueueFirst(queueId, unclaimed);
      return true;
    } catch (error) {
      this.logger.warn({ err: error, deliveries: unclaimed.length }, NOT_QUEUED_AGAIN);
      return false;
    }
  }

  /** Returns undefined for a delivery that is no longer valid: leased, cancelled or of an earlier attempt. */
  private async claim(scope: Scope, request: PollRequest, delivery: Delivery): Promise<LeasedExecution | undefined> {
    const claim = claimOf(delivery);
    const claimed = await this.leases.claim(scope, claim, claimerOf(request));
    return claimed === undefined ? undefined : this.leasedOf(request, claim, claimed);
  }

  /** Returns the leases of the deliveries that it acquired. */
  private async claimTogether(
    scope: Scope,
    request: PollRequest,
    deliveries: readonly Delivery[],
  ): Promise<ReadonlyMap<Delivery, LeasedExecution>> {
    const claims = new Map(deliveries.map((delivery) => [delivery, claimOf(delivery)]));
    const acquired = await this.leases.claimAll(scope, [...claims.values()], claimerOf(request));
    const leased = new Map<Delivery, LeasedExecution>();
    for (const [delivery, claim] of claims) {
      const claimed = acquired.get(claim.token);
      if (claimed !== undefined) leased.set(delivery, this.leasedOf(request, claim, claimed));
    }
    return leased;
  }

  private leasedOf({ workerId }: PollRequest, claim: Claim, claimed: ClaimedExecution): LeasedExecution {
    const { attempt, token } = claim;
    inSpanOf(claimed.execution, () => this.logger.info({ worker_id: workerId, attempt }, 'execution leased'));
    return { leaseToken: token, attempt, ...claimed };
  }
}

const NOT_QUEUED_AGAIN = 'queueing deliveries again failed; reconciliation restores them';

const NONE: Promise<ReadonlyMap<Delivery, LeasedExecution>> = Promise.resolve(new Map());

function claimOf({ executionId, attempt }: Delivery): Claim {
  return { executionId, attempt, token: randomBytes(TOKEN_BYTES).toString('base64url') };
}

function claimerOf({ queueId, workerId, leaseMs, confirmMs, runnerName = null }: PollRequest): Claimer {
  // A write under the token extends the lease to its full length. Heartbeats do so only after the execution was set to
  // `running`.
  return { queueId, workerId, leaseMs, confirmMs: Math.min(leaseMs, confirmMs), runnerName };
}
