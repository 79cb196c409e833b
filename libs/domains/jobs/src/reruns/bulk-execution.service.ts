import { AttemptCollision, Database, isStoreUnavailable } from '@app/database';
import { ExecutionService } from '@app/executions';
import { DomainError, type Caller } from '@app/kernel';
import { createLogger } from '@app/observability';
import { Injectable } from '@nestjs/common';
import { RerunService } from './rerun.service.js';
import type { BulkAction, BulkOutcome } from './rerun.types.js';

/** Applies one action to many executions. */
@Injectable()
export class BulkExecutionService {
  private readonly logger = createLogger('reruns');

  constructor(
    private readonly executions: ExecutionService,
    private readonly reruns: RerunService,
    private readonly database: Database,
  ) {}

  /**
   * Applies the action to each execution once, and returns an outcome for each id in the order of the list. A failure
   * affects only one execution. If a store is unreachable, the work ends, and all further outcomes contain this error.
   */
  async apply(caller: Caller, action: BulkAction, executionIds: readonly string[]): Promise<readonly BulkOutcome[]> {
    const outcomes = new Map<string, BulkOutcome | undefined>(executionIds.map((id) => [id, undefined]));
    let outage: Pick<BulkOutcome, 'error'> | undefined;
    // Sorted to avoid deadlocks: with an idempotency key, all row locks are held until the end of the request.
    for (const executionId of [...outcomes.keys()].sort()) {
      const outcome: BulkOutcome = { executionId, ...(outage ?? (await this.applyTo(caller, action, executionId))) };
      outcomes.set(executionId, outcome);
      if (isStoreUnavailable(outcome.error)) outage = { error: outcome.error };
    }
    return [...outcomes.values()].flatMap((outcome) => outcome ?? []);
  }

  private async applyTo(caller: Caller, action: BulkAction, id: string): Promise<Omit<BulkOutcome, 'executionId'>> {
    try {
      return await this.database.attempt(async () => {
        if (action === 'rerun') return { started: await this.reruns.rerun(caller, id, {}) };
        await this.executions.cancel(caller, id, null);
        return {};
      });
    } catch (error) {
      // Rethrown, so that the transaction runs again. If this error became an outcome, it would be stored with the
      // idempotency key and returned to every repetition of the request.
      if (error instanceof AttemptCollision) throw error;
      if (!(error instanceof DomainError)) this.logger.warn({ err: error, execution_id: id, action }, 'action failed');
      return { error };
    }
  }
}
