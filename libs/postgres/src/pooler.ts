import { openClient } from './chosen-client.js';
import type { ServerAddress } from './server-address.js';
import { SERVER_PROCESS } from './server.sql.js';

const CONNECT_TIMEOUT_MS = 5000;

/**
 * Returns whether a pooler such as PgBouncer is between the process and PostgreSQL. A pooler gives each client a key for
 * cancel requests of its own, so the process id in the key is not that of the server process.
 */
export async function leadsToPooler(address: ServerAddress): Promise<boolean> {
  const client = await openClient(address, { connectionTimeoutMillis: CONNECT_TIMEOUT_MS });
  try {
    const [row] = (await client.query<{ pid: number }>(SERVER_PROCESS)).rows;
    return row?.pid !== (client as unknown as { readonly processID: number }).processID;
  } finally {
    await client.end();
  }
}
