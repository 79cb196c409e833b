import { Injectable } from '@nestjs/common';
import { Database } from '../database.js';
import {
  createPartition,
  deleteFromDefaultPartition,
  dropPartition,
  findPeriodsInDefaultPartition,
  FIND_PARTITIONS,
  FIND_TABLE,
  LIMIT_LOCK_WAIT,
  LOCK_PARTITIONS,
} from './partitions.sql.js';
import {
  defaultPartitionOf,
  partitionNamed,
  partitionOf,
  partitionsFrom,
  type PartitionedTable,
  type TimePartition,
} from './time-partition.js';

export interface PartitionPlan {
  readonly now: Date;
  /** Number of partitions to create after the current one. */
  readonly ahead: number;
  /** Partitions that end before this time are dropped, and older rows of the default partition deleted. */
  readonly retainedFrom: Date | undefined;
}

/**
 * Creates and drops the partitions of tables. Changing them needs locks that block writers and readers, so the wait for
 * a lock is limited to a short time. If a change cannot acquire its locks, a later run makes the change.
 */
@Injectable()
export class Partitions {
  constructor(private readonly database: Database) {}

  /** Creates missing partitions and drops expired ones. Can run at the same time in several processes. */
  async maintain(
    table: PartitionedTable,
    { now, ahead, retainedFrom }: PartitionPlan,
    signal: AbortSignal,
  ): Promise<void> {
    if (retainedFrom !== undefined) await this.deleteFromDefaultPartition(table, retainedFrom);
    const existing = new Set(await this.names(table));
    const required = [...partitionsFrom(table, now, ahead), ...(await this.inDefaultPartition(table))];
    for (const partition of required.filter(({ name }) => !existing.has(name))) {
      if (signal.aborted) return;
      await this.create(table, partition);
    }
    if (retainedFrom === undefined) return;
    for (const partition of [...existing].flatMap((name) => partitionNamed(table, name) ?? [])) {
      if (partition.to <= retainedFrom && !signal.aborted) await this.drop(table, partition);
    }
  }

  /** Returns the names of all partitions except the default one. */
  private async names(table: PartitionedTable): Promise<string[]> {
    const values = [table.table, defaultPartitionOf(table)];
    return (await this.database.sql<{ relname: string }>(FIND_PARTITIONS, values)).map(({ relname }) => relname);
  }

  /** Returns the partitions that the rows in the default partition belong to. */
  private async inDefaultPartition(table: PartitionedTable): Promise<TimePartition[]> {
    const rows = await this.database.withoutStatementTimeout(() =>
      this.database.sql<{ day: Date }>(findPeriodsInDefaultPartition(table)),
    );
    return rows.map(({ day }) => partitionOf(table, day));
  }

  /**
   * Creates a partition and moves existing rows of its period into it. The whole table is locked, so that writers wait:
   * an insert that was already routed to the default partition would violate the bounds that the default partition
   * gets.
   */
  private async create(table: PartitionedTable, partition: TimePartition): Promise<void> {
    await this.exclusively(table, async () => {
      const [present] = await this.database.sql(FIND_TABLE, [partition.name]);
      if (present !== undefined) return;
      for (const statement of createPartition(table, partition)) await this.database.sql(statement);
    });
  }

  private async drop(table: PartitionedTable, partition: TimePartition): Promise<void> {
    await this.exclusively(table, async () => void (await this.database.sql(dropPartition(partition))));
  }

  private async deleteFromDefaultPartition(table: PartitionedTable, before: Date): Promise<void> {
    const statement = deleteFromDefaultPartition(table);
    await this.database.withoutStatementTimeout(() => this.database.sql(statement, [before]));
  }

  /** Ensures that one process at a time changes partitions. The others then find that nothing is left to do. */
  private async exclusively({ table }: PartitionedTable, change: () => Promise<void>): Promise<void> {
    await this.database.withoutStatementTimeout(async () => {
      await this.database.sql(LIMIT_LOCK_WAIT);
      await this.database.sql(LOCK_PARTITIONS, [table]);
      await change();
    });
  }
}
