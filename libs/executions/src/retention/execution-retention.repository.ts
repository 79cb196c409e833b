import { Database } from '@app/database';
import { Injectable } from '@nestjs/common';
import { PRUNE_EXECUTIONS } from './execution-retention.sql.js';

@Injectable()
export class ExecutionRetentionRepository {
  constructor(private readonly database: Database) {}

  /** Deletes up to `limit` executions of all organizations that ended before a time. Returns their number. */
  async prune(endedBefore: Date, limit: number): Promise<number> {
    return (await this.database.sql(PRUNE_EXECUTIONS, [endedBefore, limit])).length;
  }
}
