import { Database } from '@app/database';
import { Clock, type Scope } from '@app/kernel';
import { Injectable } from '@nestjs/common';
import { executionNotFound, leaseLost } from '../executions/execution.errors.js';
import { ExecutionRepository } from '../executions/execution.repository.js';
import { LeaseRepository } from './lease.repository.js';

/** What has to pass before something is written that belongs to an execution and is not in its row. */
@Injectable()
export class ExecutionFence {
  constructor(
    private readonly database: Database,
    private readonly executions: ExecutionRepository,
    private readonly leases: LeaseRepository,
    private readonly clock: Clock,
  ) {}

  /**
   * Runs `write` in a transaction. With a token it renews the lease, which locks the row: until `write` is committed
   * nobody else can get the lease. A token that is not the current one writes nothing. Without a token the execution
   * only has to exist.
   */
  async write<T>(scope: Scope, executionId: string, leaseToken: string | null, write: () => Promise<T>): Promise<T> {
    return this.database.transaction(async () => {
      const held = leaseToken !== null && (await this.renews(scope, executionId, leaseToken));
      if (!held) await this.checkExists(scope, executionId);
      if (!held && leaseToken !== null) throw leaseLost();
      return write();
    });
  }

  async checkExists(scope: Scope, executionId: string): Promise<void> {
    if ((await this.executions.findGuards(scope, executionId)) === undefined) throw executionNotFound();
  }

  private async renews(scope: Scope, executionId: string, token: string): Promise<boolean> {
    return (await this.leases.renew(scope, executionId, token, this.clock.now())) !== null;
  }
}
