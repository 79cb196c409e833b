// Preloaded (`node --import`) into every Node process that a launcher starts. The launcher holds the other end of
// standard input: when that closes without a signal having come, the launcher is dead, and this process ends as it
// would on SIGTERM.
import process from 'node:process';

const graceMs = 15_000;

process.stdin.once('close', () => {
  process.kill(process.pid, 'SIGTERM');
  setTimeout(() => process.kill(process.pid, 'SIGKILL'), graceMs).unref();
});
// The other ends of these are gone as well then.
for (const stream of [process.stdin, process.stdout, process.stderr]) stream.on('error', () => undefined);
process.stdin.resume();
// Watching must not keep a process alive that has nothing else to do.
(process.stdin as unknown as { unref?: () => void }).unref?.();
