// Preloaded (`node --import`) into every Node process that a launcher starts. The launcher holds the other end of
// standard input. When standard input closes, the launcher has died, and this process stops as on SIGTERM.
import process from 'node:process';

const STOP_GRACE_MS = 15_000;

process.stdin.once('close', () => {
  process.kill(process.pid, 'SIGTERM');
  setTimeout(() => process.kill(process.pid, 'SIGKILL'), STOP_GRACE_MS).unref();
});
// The launcher also held the other ends of these streams.
for (const stream of [process.stdin, process.stdout, process.stderr]) stream.on('error', () => undefined);
process.stdin.resume();
// Listening to standard input must not keep the process alive.
(process.stdin as unknown as { unref?: () => void }).unref?.();
