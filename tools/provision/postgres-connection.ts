import { Client } from 'pg';
import { ProvisionError, requireAddress, withoutPassword } from './provision-error.js';
import { lastLines } from './server-log.js';
import { waitUntil } from './wait-until.js';

/** Checks that a server named by DATABASE_URL answers, waiting a moment for one that is only just starting. */
export async function checkPostgres(url: string, timeoutMs = 10_000): Promise<void> {
  requireAddress('DATABASE_URL', url, 'postgres://user:password@host:5432/database');
  let refusal = 'no answer';
  const ready = await waitUntil(
    async () => {
      const state = await tryConnect(url);
      refusal = state.refusal ?? refusal;
      return state.connected || state.final ? state : undefined;
    },
    { timeoutMs, stepMs: 200 },
  );
  if (ready?.connected) return;
  throw new ProvisionError(
    `DATABASE_URL (${withoutPassword(url)}) cannot be used: ${refusal}.`,
    'Start that server, mend the address, or unset DATABASE_URL to run a Postgres of its own.',
  );
}

export interface ConnectState {
  readonly connected: boolean;
  /** The server is there and says no: waiting will not help. */
  readonly final: boolean;
  readonly refusal?: string;
}

/** One attempt to connect and to ask something. */
export async function tryConnect(url: string): Promise<ConnectState> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 2_000 });
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.query('SELECT 1');
    return { connected: true, final: true };
  } catch (error) {
    const code = (error as { code?: string }).code ?? '';
    const message = error instanceof Error ? error.message : String(error);
    // 28… invalid authorization, 3D… no such database: both come from a server that runs.
    return { connected: false, final: /^(28|3D)/.test(code), refusal: lastLines(message, 1)[0] ?? code };
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** Whether anything was ever made in a database. */
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
