import { Client } from 'pg';
import { ProvisionError, requireAddress, withoutPassword } from './provision-error.js';
import { lastLines } from './server-log.js';
import { waitUntil } from './wait-until.js';

const CONNECT_TIMEOUT_MS = 2_000;
const RETRY_INTERVAL_MS = 200;

/**
 * Throws ProvisionError if the server at DATABASE_URL accepts no connection. Retries while it may still be starting.
 */
export async function checkPostgres(url: string, timeoutMs = 10_000): Promise<void> {
  requireAddress('DATABASE_URL', url, 'postgres://user:password@host:5432/database');
  let reason = 'no response';
  const result = await waitUntil(
    async () => {
      const attempt = await tryConnect(url);
      reason = attempt.reason ?? reason;
      return attempt.connected || attempt.isPermanent ? attempt : undefined;
    },
    { timeoutMs, intervalMs: RETRY_INTERVAL_MS },
  );
  if (result?.connected) return;
  throw new ProvisionError(
    `DATABASE_URL (${withoutPassword(url)}) cannot be used: ${reason}.`,
    'Start that server, correct the URL, or unset DATABASE_URL to use a Postgres that is started for you.',
  );
}

export interface ConnectionAttempt {
  readonly connected: boolean;
  /** The server runs and rejects the connection: a retry cannot succeed. */
  readonly isPermanent: boolean;
  /** Why the connection failed. */
  readonly reason?: string;
}

/** Connects once and runs a query. Never rejects. */
export async function tryConnect(url: string): Promise<ConnectionAttempt> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: CONNECT_TIMEOUT_MS });
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.query('SELECT 1');
    return { connected: true, isPermanent: true };
  } catch (error) {
    const code = (error as { code?: string }).code ?? '';
    const message = error instanceof Error ? error.message : String(error);
    // SQLSTATE class 28: invalid authorization; class 3D: no such database. Both are sent by a running server.
    return { connected: false, isPermanent: /^(28|3D)/.test(code), reason: lastLines(message, 1)[0] ?? code };
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** Returns whether the database contains a table outside the system schemas. */
export async function hasTables(url: string): Promise<boolean> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    const found = await client.query(
      "SELECT 1 FROM pg_tables WHERE schemaname NOT IN ('pg_catalog', 'information_schema') LIMIT 1",
    );
    return found.rowCount !== 0;
  } finally {
    await client.end();
  }
}
