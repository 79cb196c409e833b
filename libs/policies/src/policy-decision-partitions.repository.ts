import { Database } from '@app/database';
import { Injectable } from '@nestjs/common';
import { DECISIONS, REST, weekOf, type PartitionWeek } from './policy-decision-partitions.js';

/**
 * The tables behind the decision log. Changing them takes locks that writers and readers wait for, so nothing here
 * waits long for a lock: what it does not get now, a later run gets.
 */
@Injectable()
export class PolicyDecisionPartitionsRepository {
  constructor(private readonly database: Database) {}

  /** Every table of the log but the one for the rest. */
  async tables(): Promise<string[]> {
    const rows = await this.database.sql<{ relname: string }>(
      `SELECT c.relname FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
       WHERE i.inhparent = $1::regclass AND c.relname <> $2`,
      [DECISIONS, REST],
    );
    return rows.map(({ relname }) => relname);
  }

  /** The weeks of rows that no table was there for. */
  async weeksInRest(): Promise<PartitionWeek[]> {
    const rows = await this.database.unhurried(() =>
      this.database.sql<{ day: Date }>(
        `SELECT DISTINCT date_trunc('week', at, 'UTC') AS day FROM ${REST} ORDER BY day`,
      ),
    );
    return rows.map(({ day }) => weekOf(day));
  }

  /**
   * Makes a week's table and moves into it what was written before it was there. Writers wait meanwhile, at the log's own
   * lock: one that had chosen its table already would be refused by it.
   */
  async create(week: PartitionWeek): Promise<void> {
    const from = week.from.toISOString();
    const to = week.to.toISOString();
    await this.alone(async () => {
      const [present] = await this.database.sql('SELECT 1 AS one WHERE to_regclass($1) IS NOT NULL', [week.table]);
      if (present !== undefined) return;
      await this.database.sql(`LOCK TABLE ONLY ${DECISIONS} IN SHARE ROW EXCLUSIVE MODE`);
      await this.database.sql(`CREATE TABLE ${week.table} (LIKE ${DECISIONS} INCLUDING ALL)`);
      await this.database.sql(
        `WITH moved AS (DELETE FROM ${REST} WHERE at >= '${from}' AND at < '${to}' RETURNING *)
         INSERT INTO ${week.table} SELECT * FROM moved`,
      );
      await this.database.sql(
        `ALTER TABLE ${DECISIONS} ATTACH PARTITION ${week.table} FOR VALUES FROM ('${from}') TO ('${to}')`,
      );
    });
  }

  async drop(week: PartitionWeek): Promise<void> {
    await this.alone(async () => void (await this.database.sql(`DROP TABLE IF EXISTS ${week.table}`)));
  }

  async deleteFromRest(before: Date): Promise<void> {
    await this.database.unhurried(() => this.database.sql(`DELETE FROM ${REST} WHERE at < $1`, [before]));
  }

  /** One process at a time changes the tables; another one finds that it is done already. */
  private async alone(change: () => Promise<void>): Promise<void> {
    await this.database.unhurried(async () => {
      await this.database.sql("SET LOCAL lock_timeout = '1s'");
      await this.database.sql("SELECT pg_advisory_xact_lock(hashtextextended('policy-decision-partitions', 0))");
      await change();
    });
  }
}
