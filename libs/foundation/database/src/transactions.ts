import { AsyncLocalStorage } from 'node:async_hooks';
import type { QueryRunner } from 'typeorm';

export interface Transaction {
  /** The `Database` that opened it. */
  readonly database: object;
  readonly runner: QueryRunner;
  readonly afterCommit: (() => void | Promise<void>)[];
}

/**
 * The transaction of each asynchronous context. One storage for all databases of the process, because every promise
 * carries the value of each storage that was ever used: with 200 of them, an `await` takes 30 times as long.
 */
export const transactions = new AsyncLocalStorage<Transaction>();
