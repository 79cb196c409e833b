import { openClient } from './chosen-client.js';
import { explainConnectionFailure } from './connection-failure.js';
import type { ServerAddress } from './server-address.js';
import { SERVER_PROCESS } from './server.sql.js';

/** Time limit of the connection, and then of the answer. */
const TIMEOUT_MS = 5000;

/**
 * Returns whether a pooler such as PgBouncer is between the process and PostgreSQL. A pooler gives each client a key for
 * cancel requests of its own, so the process id in the key is not that of the server process.
 */
export async function leadsToPooler(address: ServerAddress, timeoutMs = TIMEOUT_MS): Promise<boolean> {
  const limits = { connectionTimeoutMillis: timeoutMs, query_timeout: timeoutMs };
  const client = await openClient(address, limits);
  try {
    const [row] = (await client.query<{ pid: number }>(SERVER_PROCESS)).rows;
    await client.end();
    return row?.pid !== (client as unknown as { readonly processID: number }).processID;
  } catch (error) {
    client.discard();
    throw explainConnectionFailure(error as Error, address, client);
  }
}
