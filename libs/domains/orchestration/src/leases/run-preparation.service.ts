import { isStoreUnavailable } from '@app/database';
import { ExecutionService, ExecutionStepService, inSpanOf, LeaseService, type LeasedExecution } from '@app/executions';
import { DomainError, type Scope } from '@app/kernel';
import { createLogger } from '@app/observability';
import { Injectable } from '@nestjs/common';
import { RunAssembler } from './run-assembler.js';
import { RunCandidatesService } from './run-candidates.service.js';
import { SharedReads } from './shared-reads.js';
import type { AssembledRun, RunDelivery, RunPlace, UnstartableRun } from '../run.types.js';

/** Leases of a poll with their presented form. */
export interface PreparedRuns<Presented> {
  readonly leases: readonly LeasedExecution[];
  readonly presented: readonly Presented[];
}

/** A lease whose run could not be assembled or presented. */
interface Failure {
  readonly lease: LeasedExecution;
  readonly error: unknown;
}

/**
 * Assembles and presents the runs of leases. Leases that cannot be delivered are released at once; otherwise they would
 * delay their executions until they expire.
 */
@Injectable()
export class RunPreparationService {
  private readonly logger = createLogger('workers');

  constructor(
    private readonly leases: LeaseService,
    private readonly executions: ExecutionService,
    private readonly assembler: RunAssembler,
    private readonly steps: ExecutionStepService,
    private readonly candidates: RunCandidatesService,
  ) {}

  /** Rejects if a store was not reachable and no run can be delivered. */
  async prepare<Presented>(
    scope: Scope,
    leased: readonly LeasedExecution[],
    place: RunPlace,
    { signal, present }: RunDelivery<Presented>,
  ): Promise<PreparedRuns<Presented>> {
    const reads = new SharedReads();
    const assembled = await settle(
      leased.map((lease) => ({ lease })),
      ({ lease }) => this.assemble(scope, lease, place, reads),
    );
    const runs = assembled.results.filter((run) => run !== undefined);
    const shown = await presentAll(runs, present);
    const failures = [...assembled.failures, ...shown.failures];
    await this.giveBack(scope, failures);
    const failed = new Set(failures.map(({ lease }) => lease));
    const leases = runs.map(({ lease }) => lease).filter((lease) => !failed.has(lease));
    if (signal?.aborted === true) {
      await this.leases.releaseUndelivered(scope, leases, 'response_lost');
      return { leases: [], presented: [] };
    }
    const outage = failures.find(({ error }) => isTemporary(error));
    if (leases.length === 0 && outage !== undefined) throw outage.error;
    return { leases, presented: shown.results };
  }

  /** Returns undefined if the run cannot start. Its execution is then marked as failed. */
  private async assemble(
    scope: Scope,
    lease: LeasedExecution,
    place: RunPlace,
    reads: SharedReads,
  ): Promise<AssembledRun | undefined> {
    const assembled = await this.assembler.assemble(scope, lease, place.environmentId, reads);
    if (isUnstartable(assembled)) {
      await this.fail(scope, assembled);
      return undefined;
    }
    if (assembled.timeoutMs !== lease.execution.timeout_ms)
      await this.leases.setTimeLimit(scope, lease, assembled.timeoutMs);
    const { id, definition } = lease.execution;
    const steps = definition === null ? [] : await this.steps.listReported(scope, id, definition);
    return { ...assembled, steps, candidates: await this.candidates.of(scope, lease.execution, place, reads) };
  }

  /**
   * Releases leases. The attempt counts unless a store was unreachable, so that a run that can never be read fails
   * after its last attempt. A run that is too large fails at once, with an error that names what is too large.
   */
  private async giveBack(scope: Scope, failures: readonly Failure[]): Promise<void> {
    for (const { lease, error } of failures) {
      const { attempt, execution } = lease;
      inSpanOf(execution, () =>
        this.logger.error({ err: error, attempt }, 'assembling a run failed, its lease is released'),
      );
    }
    const releases = failures.map(async ({ lease, error }) => {
      if (isTooLarge(error)) await this.fail(scope, { lease, reason: error.message });
      else await this.leases.releaseUndelivered(scope, [lease], isTemporary(error) ? 'response_lost' : 'not_assembled');
    });
    for (const release of await Promise.allSettled(releases)) {
      if (release.status === 'rejected')
        this.logger.warn({ err: release.reason }, 'releasing a lease failed; it will expire');
    }
  }

  private async fail(scope: Scope, { lease, reason }: UnstartableRun): Promise<void> {
    try {
      await this.executions.fail(scope, lease.execution.id, reason, lease.leaseToken);
    } catch (error) {
      // These are not errors: the execution has ended meanwhile, or another worker has its lease.
      if (!isNotFoundOrConflict(error)) throw error;
    }
  }
}

/** Presents the runs together. If this fails, presents them one by one, because a single run may be the cause. */
async function presentAll<Presented>(
  runs: readonly AssembledRun[],
  present: RunDelivery<Presented>['present'],
): Promise<Settled<Presented>> {
  if (runs.length === 0) return { results: [], failures: [] };
  try {
    return { results: await present(runs), failures: [] };
  } catch (error) {
    if (runs.length === 1 || isTemporary(error)) {
      return { results: [], failures: runs.map(({ lease }) => ({ lease, error })) };
    }
    const each = await settle(runs, (run) => present([run]));
    return { ...each, results: each.results.flat() };
  }
}

interface Settled<Result> {
  readonly results: readonly Result[];
  readonly failures: readonly Failure[];
}

async function settle<Item extends Pick<AssembledRun, 'lease'>, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<Settled<Result>> {
  const outcomes = await Promise.allSettled(items.map(work));
  return {
    results: outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : [])),
    failures: items.flatMap(({ lease }, index) => {
      const outcome = outcomes[index];
      return outcome?.status === 'rejected' ? [{ lease, error: outcome.reason }] : [];
    }),
  };
}

function isUnstartable(run: object): run is UnstartableRun {
  return 'reason' in run;
}

function isTemporary(error: unknown): boolean {
  return error instanceof DomainError ? error.kind === 'unavailable' : isStoreUnavailable(error);
}

function isTooLarge(error: unknown): error is DomainError {
  return error instanceof DomainError && error.code === 'related_data_too_large';
}

function isNotFoundOrConflict(error: unknown): boolean {
  return error instanceof DomainError && (error.kind === 'not_found' || error.kind === 'conflict');
}
