import { Database } from '@app/database';
import type { Scope } from '@app/kernel';
import { Injectable } from '@nestjs/common';
import { executionNotFound, leaseLost } from '../executions/execution.errors.js';
import { ExecutionRepository } from '../executions/execution.repository.js';
import { LeaseRepository } from './lease.repository.js';

/** Guards writes that belong to an execution but not to its row: sessions, messages, task records. */
@Injectable()
export class ExecutionFence {
  constructor(
    private readonly database: Database,
    private readonly executions: ExecutionRepository,
    private readonly leases: LeaseRepository,
  ) {}

  /**
   * Runs `write` in a transaction that first locks the row of the execution, so that writes of one execution run one
   * after another and cannot deadlock. With a token, the renewal of the lease acquires this lock, so no other worker
   * can acquire the lease before the commit. Throws `lease_lost` without running `write` if the token is stale, and
   * `not_found` if the execution does not exist.
   */
  async write<T>(scope: Scope, executionId: string, leaseToken: string | null, write: () => Promise<T>): Promise<T> {
    return this.database.transaction(async () => {
      if (leaseToken === null) await this.lock(scope, executionId);
      else await this.renewLease(scope, executionId, leaseToken);
      return write();
    });
  }

  /** Throws `not_found` if there is no such execution. */
  async checkExists(scope: Scope, executionId: string): Promise<void> {
    if ((await this.executions.findGuards(scope, executionId)) === undefined) throw executionNotFound();
  }

  private async lock(scope: Scope, executionId: string): Promise<void> {
    if (!(await this.executions.lock(scope, executionId))) throw executionNotFound();
  }

  private async renewLease(scope: Scope, executionId: string, token: string): Promise<void> {
    if ((await this.leases.renew(scope, executionId, token)) !== null) return;
    await this.checkExists(scope, executionId);
    throw leaseLost();
  }
}
