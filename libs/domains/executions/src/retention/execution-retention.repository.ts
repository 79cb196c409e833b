import { Database } from '@app/database';
import { Injectable } from '@nestjs/common';
import { PRUNE_EXECUTIONS } from './execution-retention.sql.js';

export interface PrunedBatch {
  readonly deleted: number;
  /** Whether there may be more executions that ended before the time. */
  readonly more: boolean;
}

@Injectable()
export class ExecutionRetentionRepository {
  constructor(private readonly database: Database) {}

  /** Deletes up to `limit` executions of all organizations that ended before a time. */
  async prune(endedBefore: Date, limit: number): Promise<PrunedBatch> {
    const [row] = await this.database.sql<{ found: number; deleted: number }>(PRUNE_EXECUTIONS, [endedBefore, limit]);
    const { found = 0, deleted = 0 } = row ?? {};
    return { deleted, more: found === limit || deleted < found };
  }
}
