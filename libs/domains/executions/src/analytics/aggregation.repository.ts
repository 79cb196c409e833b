import { Database } from '@app/database';
import { Injectable } from '@nestjs/common';
import {
  AGGREGATE_FACTS,
  AGGREGATE_RECORD_CHANGES,
  FIND_WITHOUT_CAUSE,
  LOCK_AGGREGATION,
  PRUNE_SERIES,
  SET_CAUSES,
} from './aggregation.sql.js';
import { failureCause } from '../executions/failure-cause.js';

interface Failed {
  readonly organization_id: string;
  readonly id: string;
  readonly error_message: string | null;
}

/**
 * Maintains the aggregates of all organizations. Each method processes at most `limit` rows and returns their number.
 */
@Injectable()
export class AggregationRepository {
  constructor(private readonly database: Database) {}

  async aggregateFacts(limit: number): Promise<number> {
    return this.aggregate('execution_facts', AGGREGATE_FACTS, limit);
  }

  async aggregateRecordChanges(limit: number): Promise<number> {
    return this.aggregate('record_changes', AGGREGATE_RECORD_CHANGES, limit);
  }

  /**
   * Returns 0 while another process holds the lock. A separate statement acquires the lock, so that the next statement
   * sees what the previous holder wrote.
   */
  private async aggregate(table: string, statement: string, limit: number): Promise<number> {
    return this.database.transaction(async () => {
      const [lock] = await this.database.sql<{ granted: boolean }>(LOCK_AGGREGATION, [table]);
      if (lock?.granted !== true) return 0;
      const [row] = await this.database.sql<{ processed: number }>(statement, [limit]);
      return row?.processed ?? 0;
    });
  }

  async pruneSeries(seconds: number, before: Date, limit: number): Promise<number> {
    return (await this.database.sql(PRUNE_SERIES, [seconds, before, limit])).length;
  }

  /** Sets the cause of failed executions that have none. */
  async addCauses(limit: number): Promise<number> {
    return this.database.transaction(async () => {
      const failed = await this.database.sql<Failed>(FIND_WITHOUT_CAUSE, [limit]);
      if (failed.length > 0) {
        const column = <T>(value: (execution: Failed) => T): T[] => failed.map(value);
        const causes = column(({ error_message }) => failureCause(error_message));
        const ids = [column(({ organization_id }) => organization_id), column(({ id }) => id)];
        await this.database.sql(SET_CAUSES, [...ids, causes]);
      }
      return failed.length;
    });
  }
}
