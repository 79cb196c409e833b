import { AsyncLocalStorage } from 'node:async_hooks';
import { setMaxListeners } from 'node:events';
import { connect } from 'node:net';
import type { ClientBase, Pool, PoolClient, QueryConfig, QueryResult, QueryResultRow } from 'pg';

/** Time limit of the connection that requests a cancellation. */
const CANCEL_TIMEOUT_MS = 1000;
/** The code of a cancel request in the protocol of PostgreSQL. */
const CANCEL_REQUEST = 80_877_102;

const ends = new AsyncLocalStorage<AbortSignal>();

/** A read that ended before its result; PostgreSQL reports a cancelled statement with the same code. */
export class ReadEnded extends Error {
  readonly code = '57014';
}

/** Runs `work`. Its statements are cancelled when the signal aborts, and those that it begins later fail. */
export function endStatementsWith<T>(signal: AbortSignal, work: () => T): T {
  // Each running statement adds a listener.
  setMaxListeners(0, signal);
  return ends.run(signal, work);
}

/** The signal that ends the statements of the current read; undefined outside of one. */
export function statementEnd(): AbortSignal | undefined {
  return ends.getStore();
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
    // As the pool does for single statements: a connection on which one failed is not used again.
    client.release(failure);
  }
}

/** Settles as `work`, which runs statements on this connection, or fails when the signal aborts. Cancels them then. */
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
    // A late cancellation would end the next statement of the connection.
    await cancelling;
  }
}

/** Settles as `result`, or fails when the signal aborts. */
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

/**
 * Asks the server to cancel the statement of a connection, by the protocol's own message: unlike a statement, it needs
 * no connection of the pool, all of which may be busy, and poolers forward it. Resolves when the server has handled it,
 * which it shows by closing the connection; never rejects: the statement timeout ends what could not be cancelled.
 */
async function requestCancel(client: ClientBase): Promise<void> {
  const { host, port, processID, secretKey } = client as unknown as {
    readonly host: string;
    readonly port: number;
    readonly processID: number;
    readonly secretKey: number;
  };
  const message = Buffer.alloc(16);
  message.writeInt32BE(message.length, 0);
  message.writeInt32BE(CANCEL_REQUEST, 4);
  message.writeInt32BE(processID, 8);
  message.writeInt32BE(secretKey, 12);
  const socket = host.startsWith('/') ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host);
  await new Promise<void>((resolve) => {
    socket.setTimeout(CANCEL_TIMEOUT_MS, () => socket.destroy());
    socket.on('error', () => undefined);
    socket.once('close', () => resolve());
    socket.end(message);
    socket.resume();
  });
}
