import { Database } from '@app/database';
import { Injectable } from '@nestjs/common';
import { FIND_WITHOUT_CAUSE, FOLD_FACTS, FOLD_RECORD_CHANGES, PRUNE_SERIES, SET_CAUSES } from './aggregation.sql.js';
import { failureCause } from './failure-cause.js';

interface Failed {
  readonly organization_id: string;
  readonly id: string;
  readonly error_message: string | null;
}

/** Keeps the aggregates of all organizations. Each method works on at most `limit` rows and returns their number. */
@Injectable()
export class AggregationRepository {
  constructor(private readonly database: Database) {}

  async foldFacts(limit: number): Promise<number> {
    const [row] = await this.database.sql<{ folded: number }>(FOLD_FACTS, [limit]);
    return row?.folded ?? 0;
  }

  async foldRecordChanges(limit: number): Promise<number> {
    const [row] = await this.database.sql<{ folded: number }>(FOLD_RECORD_CHANGES, [limit]);
    return row?.folded ?? 0;
  }

  async pruneSeries(seconds: number, before: Date, limit: number): Promise<number> {
    return (await this.database.sql(PRUNE_SERIES, [seconds, before, limit])).length;
  }

  /** Adds the cause of executions that failed without one. */
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
