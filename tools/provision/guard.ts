// Runs a server and stops it when standard input closes, that is, when whoever started this process is gone:
// `node guard.js <signal> <command> <arguments...>`. Used where the system cannot send a signal on a parent's death.
import { spawn } from 'node:child_process';

const graceMs = 20_000;
const [stopSignal, command, ...args] = process.argv.slice(2);
if (stopSignal === undefined || command === undefined) throw new Error('Usage: guard <signal> <command> [arguments]');

const server = spawn(command, args, { stdio: ['ignore', 'inherit', 'inherit'] });
for (const signal of ['SIGTERM', 'SIGINT', 'SIGQUIT'] as const) process.on(signal, () => server.kill(signal));
// SIGKILL cannot be passed on by the one who receives it, so this signal stands for it.
process.on('SIGUSR2', () => server.kill('SIGKILL'));

process.stdin.resume();
process.stdin.once('close', () => {
  server.kill(stopSignal as NodeJS.Signals);
  setTimeout(() => server.kill('SIGKILL'), graceMs).unref();
});
server.once('error', (error) => {
  process.stderr.write(`${error.message}\n`);
  process.exit(127);
});
server.once('exit', (code) => process.exit(code ?? 1));
