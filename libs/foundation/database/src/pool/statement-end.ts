import { AsyncLocalStorage } from 'node:async_hooks';
import { setMaxListeners } from 'node:events';
import { requestCancel } from '@app/postgres';
import type { ClientBase, Pool, PoolClient, QueryConfig, QueryResult, QueryResultRow } from 'pg';

interface CurrentRead {
  readonly end: AbortSignal;
  readonly isLong: boolean;
}

const currentRead = new AsyncLocalStorage<CurrentRead>();

/** A read that was cancelled before its result. It has the code with which PostgreSQL reports a cancelled statement. */
export class ReadEnded extends Error {
  readonly code = '57014';
}

export interface ReadOptions {
  /** The statements of the read use the connections of long reads. */
  readonly isLong?: boolean;
}

/**
 * Runs `work`. When the signal aborts, its running statements are cancelled, and statements that it begins later fail.
 */
export function endStatementsWith<T>(end: AbortSignal, work: () => T, { isLong = false }: ReadOptions = {}): T {
  // Each running statement adds a listener.
  setMaxListeners(0, end);
  return currentRead.run({ end, isLong }, work);
}

/** Returns the signal that cancels the statements of the current read; undefined outside of a read. */
export function statementEnd(): AbortSignal | undefined {
  return currentRead.getStore()?.end;
}

/** Whether the statements of the current asynchronous context use the connections of long reads. */
export function isLongRead(): boolean {
  return currentRead.getStore()?.isLong ?? false;
}

/** Returns the rows of a statement, on any connection of the pool. */
export async function queryUntil<Row extends QueryResultRow>(
  signal: AbortSignal,
  pool: Pool,
  query: QueryConfig,
): Promise<QueryResult<Row>> {
  const client = await connectUntil(signal, pool);
  let failure: Error | undefined;
  try {
    return await cancelledBy(signal, client, () => client.query<Row>(query));
  } catch (error) {
    failure = error as Error;
    throw error;
  } finally {
    // Like the pool for single statements: a connection on which a statement failed is not used again.
    client.release(failure);
  }
}

/** Settles as `work`, which runs statements on this connection. When the signal aborts, cancels them and rejects. */
export async function cancelledBy<T>(signal: AbortSignal, client: ClientBase, work: () => Promise<T>): Promise<T> {
  throwIfEnded(signal);
  let cancelling: Promise<void> | undefined;
  const cancel = (): void => {
    cancelling = requestCancel(client);
  };
  signal.addEventListener('abort', cancel, { once: true });
  try {
    return await work();
  } finally {
    signal.removeEventListener('abort', cancel);
    // Otherwise a late cancellation would cancel the next statement of the connection.
    await cancelling;
  }
}

/** Settles as `result`, or rejects when the signal aborts. */
export async function until<T>(signal: AbortSignal, result: Promise<T>): Promise<T> {
  throwIfEnded(signal);
  let abort = (): void => undefined;
  const aborted = new Promise<never>((_resolve, reject) => {
    abort = () => reject(endOf(signal));
    signal.addEventListener('abort', abort, { once: true });
  });
  try {
    return await Promise.race([result, aborted]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

async function connectUntil(signal: AbortSignal, pool: Pool): Promise<PoolClient> {
  throwIfEnded(signal);
  const connecting = pool.connect();
  try {
    return await until(signal, connecting);
  } catch (error) {
    // The connection may still arrive, and would count as used until it is released.
    void connecting.then(
      (client) => client.release(),
      () => undefined,
    );
    throw error;
  }
}

function throwIfEnded(signal: AbortSignal): void {
  if (signal.aborted) throw endOf(signal);
}

function endOf({ reason }: AbortSignal): Error {
  return reason instanceof Error ? reason : new ReadEnded('The read was ended');
}
