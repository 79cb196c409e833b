import { Redis } from 'ioredis';
import { Client } from 'pg';

/** What the stores have done since they started. */
export interface StoreWork {
  /** Transactions that wrote something. */
  readonly writingTransactions: number;
  /** Bytes of the write-ahead log. */
  readonly walBytes: number;
  /** Calls of Redis scripts. */
  readonly scripts: number;
}

const READ_POSTGRES = `SELECT pg_current_xact_id()::text AS transactions,
  pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::text AS bytes`;

/**
 * Counters of a PostgreSQL server and a Redis server. They count the work of every client, so nothing else may use the
 * servers while it is measured.
 */
export class StoreCounters {
  private readonly postgres: Client;
  private readonly redis: Redis;

  private constructor(databaseUrl: string, redisUrl: string) {
    this.postgres = new Client({ connectionString: databaseUrl });
    this.redis = new Redis(redisUrl);
  }

  static async open({
    databaseUrl,
    redisUrl,
  }: {
    readonly databaseUrl: string;
    readonly redisUrl: string;
  }): Promise<StoreCounters> {
    const counters = new StoreCounters(databaseUrl, redisUrl);
    await counters.postgres.connect();
    return counters;
  }

  async read(): Promise<StoreWork> {
    const { rows } = await this.postgres.query<{ transactions: string; bytes: string }>(READ_POSTGRES);
    const stats = await this.redis.info('commandstats');
    const calls = [...stats.matchAll(/^cmdstat_(?:eval|evalsha|fcall):calls=(\d+)/gm)].map(([, count]) =>
      Number(count),
    );
    return {
      writingTransactions: Number(rows[0]?.transactions),
      walBytes: Number(rows[0]?.bytes),
      scripts: calls.reduce((sum, count) => sum + count, 0),
    };
  }

  async close(): Promise<void> {
    await this.postgres.end();
    this.redis.disconnect();
  }
}

/** Returns the work between two readings, for one of `executions`. */
export function workPerExecution(before: StoreWork, after: StoreWork, executions: number): StoreWork {
  const each = (counter: keyof StoreWork): number => (after[counter] - before[counter]) / executions;
  return {
    writingTransactions: each('writingTransactions'),
    walBytes: each('walBytes'),
    scripts: each('scripts'),
  };
}
