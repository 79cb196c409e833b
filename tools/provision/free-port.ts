import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';
import { ProvisionError } from './provision-error.js';

// Below the ranges from which Linux (32768+) and macOS (49152+) take ports for outgoing connections: a server that
// is restarted finds its port free again.
const lowestPort = 20_000;
const highestPort = 32_000;

/** A loopback port that nothing listens on now. Another process may still take it first: be ready to ask again. */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < 200; tries += 1) {
    const port = randomInt(lowestPort, highestPort);
    if (await isPortFree(port)) return port;
  }
  throw new Error(`No free port found between ${lowestPort} and ${highestPort}`);
}

function isPortFree(port: number, host = '127.0.0.1'): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen({ port, host, exclusive: true }, () => server.close(() => resolve(true)));
  });
}

/** Refuses a port that was asked for by name and that something listens on. */
export async function requireFreePort(port: number, variable: string, host?: string): Promise<void> {
  if (await isPortFree(port, host)) return;
  throw new ProvisionError(`Port ${port} is taken.`, `Stop what listens there, or set ${variable} to another port.`);
}
