import type { DataSource, QueryRunner } from 'typeorm';
import type { FairPool } from './fair-pool.js';
import type { ResilientClient } from './resilient-client.js';
import { READ_ONLY_SETTING } from './writes.sql.js';

/** The name of the data source for long reads. */
export const LONG_READS = 'long-reads';

/** Numbers of connections, and of statements that wait for a connection. */
export interface PoolUse {
  readonly open: number;
  readonly idle: number;
  readonly max: number;
  readonly waiting: number;
}

export function poolOf({ driver }: DataSource): FairPool {
  return (driver as unknown as { readonly master: FairPool }).master;
}

export function useOf({ totalCount: open, idleCount: idle, queueLength: waiting, options }: FairPool): PoolUse {
  return { open, idle, max: options.max, waiting };
}

/** Returns the connection of a transaction, even if it is lost. */
export async function clientOf(runner: QueryRunner): Promise<ResilientClient> {
  return (await runner.connect()) as ResilientClient;
}

/** Returns whether the server accepts writes. If not, its connection is replaced, and with several hosts, one is searched. */
export async function acceptsWrites(pool: FairPool): Promise<boolean> {
  const client = await pool.connect();
  let failure: Error | undefined;
  try {
    const [row] = (await client.query<{ setting: string }>(READ_ONLY_SETTING)).rows;
    if (row?.setting === 'off') return true;
    (client as unknown as ResilientClient).refuseWrites();
    return false;
  } catch (error) {
    failure = error as Error;
    throw error;
  } finally {
    client.release(failure);
  }
}
