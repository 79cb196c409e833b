import { Database } from '@app/database';
import { Injectable } from '@nestjs/common';
import { PRUNE_TRACES } from './trace-retention.sql.js';

@Injectable()
export class TraceRetentionRepository {
  constructor(private readonly database: Database) {}

  /** Deletes at most `limit` traces whose day is before `day`. Returns the number of deleted ones. */
  async prune(day: string, limit: number): Promise<number> {
    const [pruned] = await this.database.sql<{ count: number }>(PRUNE_TRACES, [day, limit]);
    return pruned?.count ?? 0;
  }
}
