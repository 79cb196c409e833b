import { Database } from '@app/database';
import { Injectable } from '@nestjs/common';
import { DECISIONS_TABLE, DEFAULT_PARTITION, weekOf, type PartitionWeek } from './policy-decision-partitions.js';
import {
  createPartition,
  DELETE_FROM_DEFAULT_PARTITION,
  dropPartition,
  FIND_PARTITIONS,
  FIND_TABLE,
  FIND_WEEKS_IN_DEFAULT_PARTITION,
  LIMIT_LOCK_WAIT,
  LOCK_PARTITIONS,
} from './policy-decision-partitions.sql.js';

/**
 * The partitions of the decision log. Changing them needs locks that block writers and readers, so the wait for a lock
 * is limited to a short time. If a change cannot acquire its locks, a later run makes the change.
 */
@Injectable()
export class PolicyDecisionPartitionsRepository {
  constructor(private readonly database: Database) {}

  /** Returns the names of all partitions except the default one. */
  async tables(): Promise<string[]> {
    const rows = await this.database.sql<{ relname: string }>(FIND_PARTITIONS, [DECISIONS_TABLE, DEFAULT_PARTITION]);
    return rows.map(({ relname }) => relname);
  }

  /** Returns the weeks of the rows in the default partition. */
  async weeksInDefaultPartition(): Promise<PartitionWeek[]> {
    const rows = await this.database.withoutStatementTimeout(() =>
      this.database.sql<{ day: Date }>(FIND_WEEKS_IN_DEFAULT_PARTITION),
    );
    return rows.map(({ day }) => weekOf(day));
  }

  /**
   * Creates the partition of a week and moves existing rows of this week into it. The whole log is locked, so that
   * writers wait: an insert that was already routed to the default partition would violate the bounds that the default
   * partition gets.
   */
  async create(week: PartitionWeek): Promise<void> {
    await this.exclusively(async () => {
      const [present] = await this.database.sql(FIND_TABLE, [week.table]);
      if (present !== undefined) return;
      for (const statement of createPartition(week)) await this.database.sql(statement);
    });
  }

  async drop(week: PartitionWeek): Promise<void> {
    await this.exclusively(async () => void (await this.database.sql(dropPartition(week))));
  }

  async deleteFromDefaultPartition(before: Date): Promise<void> {
    await this.database.withoutStatementTimeout(() => this.database.sql(DELETE_FROM_DEFAULT_PARTITION, [before]));
  }

  /** Ensures that one process at a time changes partitions. The others then find that nothing is left to do. */
  private async exclusively(change: () => Promise<void>): Promise<void> {
    await this.database.withoutStatementTimeout(async () => {
      await this.database.sql(LIMIT_LOCK_WAIT);
      await this.database.sql(LOCK_PARTITIONS);
      await change();
    });
  }
}
