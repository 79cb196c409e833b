import { onShutdownSignals, type ShutdownActions } from '@app/kernel';
import { watchLauncher } from './launcher-watch.js';

/** Requests a shutdown at SIGINT, SIGTERM and SIGHUP, and when the npm process that started this one has ended. */
export function onShutdownRequest(actions: ShutdownActions): void {
  const request = onShutdownSignals(actions, ['SIGINT', 'SIGTERM', 'SIGHUP']);
  watchLauncher(() => request('npm has ended'));
  // The reader of the output may have ended too; a write error must not interrupt the shutdown.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
}
