import { connect } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { ProvisionError, requireAddress, withoutPassword } from './provision-error.js';
import { waitUntil } from './wait-until.js';

const answerTimeoutMs = 2_000;

/** Checks that a server named by REDIS_URL answers, waiting a moment for one that is only just starting. */
export async function checkRedis(url: string, timeoutMs = 10_000): Promise<void> {
  requireAddress('REDIS_URL', url, 'redis://:password@host:6379');
  let refusal = 'no answer';
  const ready = await waitUntil(
    async () => {
      const answer = await pingRedis(url);
      if (answer !== 'PONG') refusal = answer;
      return answer === 'PONG' || isFinal(answer) ? answer : undefined;
    },
    { timeoutMs, stepMs: 200 },
  );
  if (ready === 'PONG') return;
  throw new ProvisionError(
    `REDIS_URL (${withoutPassword(url)}) cannot be used: ${refusal}.`,
    'Start that server, mend the address, or unset REDIS_URL to run a Redis of its own.',
  );
}

/** `PONG` from a server that is ready; else its error, or why it could not be asked. */
export function pingRedis(url: string): Promise<string> {
  const { protocol, hostname, port, username, password } = new URL(url);
  const credentials = [username, password].filter((part) => part !== '').map(decodeURIComponent);
  const commands = [...(credentials.length > 0 ? [['AUTH', ...credentials]] : []), ['PING']];
  return new Promise((resolve) => {
    const target = { host: hostname, port: Number(port || 6379) };
    const socket = protocol === 'rediss:' ? connectTls({ ...target, servername: hostname }) : connect(target);
    let received = '';
    const finish = (answer: string): void => {
      socket.destroy();
      resolve(answer);
    };
    socket.setTimeout(answerTimeoutMs, () => finish('no answer'));
    socket.once('error', (error) => finish(error.message));
    socket.once('close', () => finish('the connection was closed'));
    socket.on('data', (chunk) => {
      received += chunk.toString();
      const replies = received.split('\r\n').slice(0, -1);
      const refusal = replies.find((reply) => reply.startsWith('-'));
      if (refusal !== undefined) finish(refusal.slice(1));
      else if (replies.length >= commands.length) finish(replies.at(-1)?.slice(1) ?? '');
    });
    socket.write(commands.map(encode).join(''));
  });
}

function isFinal(answer: string): boolean {
  return /^(WRONGPASS|NOAUTH|NOPERM)/.test(answer);
}

/** A command in the protocol's array form, RESP. */
function encode(command: readonly string[]): string {
  return `*${command.length}\r\n${command.map((part) => `$${Buffer.byteLength(part)}\r\n${part}\r\n`).join('')}`;
}
