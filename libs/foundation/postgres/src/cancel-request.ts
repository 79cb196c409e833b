import { once } from 'node:events';
import { connect, isIP, type Socket } from 'node:net';
import { connect as connectTls, type ConnectionOptions } from 'node:tls';
import type { ClientBase } from 'pg';

/** Default time limit of the connection that requests a cancellation. */
const CANCEL_TIMEOUT_MS = 1000;
/** The codes of requests in the protocol of PostgreSQL that have no type. */
const CANCEL_REQUEST = 80_877_102;
const TLS_REQUEST = 80_877_103;
const ACCEPTED = 'S'.charCodeAt(0);

/** Parts of the driver's client that its types do not declare. */
interface Internals {
  readonly host: string;
  readonly port: number;
  readonly processID: number;
  readonly secretKey: number;
  readonly ssl: boolean | ConnectionOptions;
  /** Of `ChosenClient`. */
  readonly cancelTimeoutMs?: number;
}

/**
 * Asks the server to cancel the statement of a connection, with the cancel request of the protocol. Unlike a statement
 * (`pg_cancel_backend`), it needs no connection of the pool, which may all be busy, and poolers forward it. Uses TLS if
 * the connection does, because whoever reads the request can repeat it. Resolves when the server has closed the
 * connection of the request, which means that it has handled it: PgBouncer 1.18 crashes if the client closes it before,
 * even only its own direction. Never rejects: the statement timeout ends a statement that could not be cancelled.
 */
export async function requestCancel(client: ClientBase): Promise<void> {
  const internals = client as unknown as Internals;
  const { host, port, processID, secretKey, ssl, cancelTimeoutMs = CANCEL_TIMEOUT_MS } = internals;
  const socket = host.startsWith('/') ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host);
  const closed = new Promise<void>((resolve) => {
    socket.setTimeout(cancelTimeoutMs, () => socket.destroy());
    socket.on('error', () => undefined);
    socket.once('close', () => resolve());
  });
  try {
    const stream = ssl === false ? socket : await encrypted(socket, host, ssl);
    stream.write(message(CANCEL_REQUEST, processID, secretKey));
    stream.resume();
  } catch {
    socket.destroy();
  }
  await closed;
}

async function encrypted(socket: Socket, host: string, ssl: true | ConnectionOptions): Promise<Socket> {
  socket.write(message(TLS_REQUEST));
  const [response] = (await Promise.race([once(socket, 'data'), once(socket, 'close').then(() => [])])) as [Buffer?];
  if (response?.[0] !== ACCEPTED) throw new Error('The server does not accept TLS');
  const servername = isIP(host) === 0 ? { servername: host } : {};
  const stream = connectTls({ ...(ssl === true ? {} : ssl), ...servername, host, socket });
  stream.on('error', () => socket.destroy());
  await Promise.race([once(stream, 'secureConnect'), once(socket, 'close')]);
  return stream;
}

function message(...fields: readonly number[]): Buffer {
  const buffer = Buffer.alloc(4 + fields.length * 4);
  for (const [index, field] of [buffer.length, ...fields].entries()) buffer.writeInt32BE(field, index * 4);
  return buffer;
}
