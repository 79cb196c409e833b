import { watchLauncher } from './launcher-watch.js';

export interface ShutdownActions {
  /** Asked for once: by a signal, or because npm above this process is gone. */
  readonly stop: (reason: string) => void;
  /** Asked for again while stopping. */
  readonly force: () => void;
}

// Ctrl-C reaches this process twice, from the terminal and from npm that passes it on: that is one request.
const sameRequestMs = 700;

export function onShutdownRequest({ stop, force }: ShutdownActions): void {
  let requestedAt: number | undefined;
  const request = (reason: string): void => {
    const now = performance.now();
    if (requestedAt === undefined) {
      requestedAt = now;
      stop(reason);
    } else if (now - requestedAt > sameRequestMs) {
      force();
    }
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => request(signal));
  watchLauncher(() => request('npm is gone'));
  // Whoever read our output may be gone as well; that is no reason to stop halfway through stopping.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
}
