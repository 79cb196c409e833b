import { readFileSync } from 'node:fs';
import { ConnectionRefused, openClient, serverAddress } from '@app/postgres';
import { ProvisionError, withoutPassword } from './provision-error.js';
import { lastLines } from './server-log.js';
import { waitUntil } from './wait-until.js';

const CONNECT_TIMEOUT_MS = 2_000;
const RETRY_INTERVAL_MS = 200;

export interface CheckOptions {
  /** The file with the certificates of the authorities of the server; undefined: those of Node.js. */
  readonly caFile?: string | undefined;
  readonly timeoutMs?: number;
}

/**
 * Throws ProvisionError if no server at DATABASE_URL accepts connections. Retries while it may still be starting.
 */
export async function checkPostgres(url: string, { caFile, timeoutMs = 10_000 }: CheckOptions = {}): Promise<void> {
  let reason = 'no response';
  const result = await waitUntil(
    async () => {
      const attempt = await tryConnect(url, caFile);
      reason = attempt.reason ?? reason;
      return attempt.connected || attempt.isPermanent ? attempt : undefined;
    },
    { timeoutMs, intervalMs: RETRY_INTERVAL_MS },
  );
  if (result?.connected) return;
  throw new ProvisionError(
    `DATABASE_URL (${withoutPassword(url)}) cannot be used: ${reason.replace(/^DATABASE_URL: |\.$/g, '')}.`,
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
export async function tryConnect(url: string, caFile?: string): Promise<ConnectionAttempt> {
  try {
    await withClient(url, caFile, 'SELECT 1');
    return { connected: true, isPermanent: true };
  } catch (error) {
    const { code = '' } = error as { code?: string };
    const message = error instanceof Error ? error.message : String(error);
    // SQLSTATE class 28: invalid authorization; class 3D: no such database. Both are sent by a running server.
    const isPermanent = /^(28|3D)/.test(code) || error instanceof ConnectionRefused;
    return { connected: false, isPermanent, reason: lastLines(message, 1)[0] ?? code };
  }
}

/** Returns whether the database contains a table outside the system schemas. */
export async function hasTables(url: string, caFile?: string): Promise<boolean> {
  const rows = await withClient(
    url,
    caFile,
    "SELECT 1 FROM pg_tables WHERE schemaname NOT IN ('pg_catalog', 'information_schema') LIMIT 1",
  );
  return rows !== 0;
}

/** Returns the number of rows. */
async function withClient(url: string, caFile: string | undefined, statement: string): Promise<number> {
  const ca = caFile === undefined ? null : readFileSync(caFile, 'utf8');
  const address = serverAddress('DATABASE_URL', url, ca);
  const client = await openClient(address, { connectionTimeoutMillis: CONNECT_TIMEOUT_MS });
  try {
    return (await client.query(statement)).rowCount ?? 0;
  } finally {
    await client.end().catch(() => undefined);
  }
}
