import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';
import { ProvisionError } from './provision-error.js';

// Below the ephemeral ranges of Linux (from 32768) and macOS (from 49152): no outgoing connection occupies the port of
// a server while it restarts.
const LOWEST_PORT = 20_000;
const HIGHEST_PORT = 32_000;
const MAX_ATTEMPTS = 200;

/** Returns a loopback port that is free now. Another process may bind it first: callers must be ready to retry. */
export async function freePort(): Promise<number> {
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
    const port = randomInt(LOWEST_PORT, HIGHEST_PORT);
    if (await isPortFree(port)) return port;
  }
  throw new Error(`No free port found between ${LOWEST_PORT} and ${HIGHEST_PORT}`);
}

/** Returns whether nothing listens on a port now. */
export function isPortFree(port: number, host = '127.0.0.1'): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen({ port, host, exclusive: true }, () => server.close(() => resolve(true)));
  });
}

/** Throws if a configured port is in use. The message names the setting `variable`. */
export async function requireFreePort(port: number, variable: string, host?: string): Promise<void> {
  if (await isPortFree(port, host)) return;
  throw new ProvisionError(
    `Port ${port} is already in use.`,
    `Stop the process that uses it, or set ${variable} to another port.`,
  );
}
