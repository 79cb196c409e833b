import { connect } from 'node:net';
import { connect as connectTls, type SecureContextOptions } from 'node:tls';
import { ProvisionError, withoutPassword } from './provision-error.js';
import { waitUntil } from './wait-until.js';

const RESPONSE_TIMEOUT_MS = 2_000;
const RETRY_INTERVAL_MS = 200;

/**
 * Throws ProvisionError if none of the servers, of which REDIS_URL names at least one, is ready. Retries while they may
 * still be starting.
 */
export async function checkRedis(servers: readonly RedisAddress[], url: string, timeoutMs = 10_000): Promise<void> {
  let reason = 'no response';
  const result = await waitUntil(
    async () => {
      const replies = await Promise.all(servers.map(pingRedis));
      const reply = replies.find((each) => each === 'PONG') ?? replies.find(isPermanent);
      reason = reply ?? replies[0] ?? reason;
      return reply;
    },
    { timeoutMs, intervalMs: RETRY_INTERVAL_MS },
  );
  if (result === 'PONG') return;
  throw new ProvisionError(
    `REDIS_URL (${withoutPassword(url)}) cannot be used: ${reason}.`,
    'Start that server, correct the URL, or unset REDIS_URL to use a Redis that is started for you.',
  );
}

export interface RedisAddress {
  readonly host: string;
  readonly port: number;
  readonly username?: string | undefined;
  readonly password?: string | undefined;
  /** Certificates of an encrypted connection. */
  readonly tls?: SecureContextOptions | undefined;
}

/**
 * Resolves to `PONG` if the server is ready, otherwise to its error or the reason of the failed connection. Never
 * rejects.
 */
export function pingRedis({ host, port, username, password, tls }: RedisAddress): Promise<string> {
  const credentials = [username, password].filter((part) => part !== undefined);
  const commands = [...(credentials.length > 0 ? [['AUTH', ...credentials]] : []), ['PING']];
  return new Promise((resolve) => {
    const socket = tls === undefined ? connect({ host, port }) : connectTls({ host, port, ...tls });
    let received = '';
    const finish = (result: string): void => {
      socket.destroy();
      resolve(result);
    };
    socket.setTimeout(RESPONSE_TIMEOUT_MS, () => finish('no response'));
    socket.once('error', (error) => finish(error.message));
    socket.once('close', () => finish('the connection was closed'));
    socket.on('data', (chunk) => {
      received += chunk.toString();
      const replies = received.split('\r\n').slice(0, -1);
      const error = replies.find((reply) => reply.startsWith('-'));
      if (error !== undefined) finish(error.slice(1));
      else if (replies.length >= commands.length) finish(replies.at(-1)?.slice(1) ?? '');
    });
    socket.write(commands.map(encode).join(''));
  });
}

/** A server that rejects the credentials is running: a retry cannot succeed. */
function isPermanent(reply: string): boolean {
  return /^(WRONGPASS|NOAUTH|NOPERM)/.test(reply);
}

/** Encodes a command as a RESP array of bulk strings. */
function encode(command: readonly string[]): string {
  return `*${command.length}\r\n${command.map((part) => `$${Buffer.byteLength(part)}\r\n${part}\r\n`).join('')}`;
}
