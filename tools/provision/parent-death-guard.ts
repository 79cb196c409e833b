// `node parent-death-guard.js <signal> <command> [arguments]` runs a server as a child process and stops it when standard
// input closes, which means that the parent has died. Used where the system cannot send a signal on a parent's death.
import { spawn } from 'node:child_process';

const STOP_GRACE_MS = 20_000;
const [stopSignal, command, ...args] = process.argv.slice(2);
if (stopSignal === undefined || command === undefined)
  throw new Error('Usage: parent-death-guard <signal> <command> [arguments]');

const server = spawn(command, args, { stdio: ['ignore', 'inherit', 'inherit'] });
for (const signal of ['SIGTERM', 'SIGINT', 'SIGQUIT'] as const) process.on(signal, () => server.kill(signal));
// A process cannot catch SIGKILL and forward it, so ServerProcess sends SIGUSR2 instead.
process.on('SIGUSR2', () => server.kill('SIGKILL'));

process.stdin.resume();
process.stdin.once('close', () => {
  server.kill(stopSignal as NodeJS.Signals);
  setTimeout(() => server.kill('SIGKILL'), STOP_GRACE_MS).unref();
});
server.once('error', (error) => {
  process.stderr.write(`${error.message}\n`);
  process.exit(127);
});
server.once('exit', (code) => process.exit(code ?? 1));
