/**
 * With Ctrl-C under npm, the signal arrives twice: from the terminal and from npm. Signals within this time count as
 * one.
 */
const SAME_REQUEST_MS = 700;

export interface ShutdownActions {
  /** Called once, with the first signal. */
  readonly stop: (reason: string) => void;
  /** Called with every further signal. */
  readonly force: () => void;
}

/**
 * Installs the handlers of the signals that end a process. Returns a function that requests the shutdown for another
 * reason.
 */
export function onShutdownSignals(
  { stop, force }: ShutdownActions,
  signals: readonly NodeJS.Signals[] = ['SIGINT', 'SIGTERM'],
): (reason: string) => void {
  let requestedAt: number | undefined;
  const request = (reason: string): void => {
    const now = performance.now();
    if (requestedAt === undefined) {
      requestedAt = now;
      stop(reason);
    } else if (now - requestedAt > SAME_REQUEST_MS) {
      force();
    }
  };
  for (const signal of signals) process.on(signal, () => request(signal));
  return request;
}
