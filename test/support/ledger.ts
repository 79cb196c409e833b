import { setTimeout as sleep } from 'node:timers/promises';

const POLL_INTERVAL_MS = 100;

/** The results of the requests of a client while servers are killed. */
export interface Ledger<T> {
  /** Results of successful requests, none of which may be lost. */
  readonly acknowledged: T[];
  /** Number of requests that failed or got no response: the server may have executed them or not. */
  unacknowledged: number;
}

export interface Load {
  /** Number of concurrent loops. */
  readonly width: number;
  readonly until: AbortSignal;
  /**
   * Whether another request may be sent. Default: always. Without a limit, the backlog on a slow machine grows without
   * end.
   */
  readonly mayContinue?: () => Promise<boolean>;
}

/** Calls `request` in concurrent loops until `stop` or until the signal aborts, and records the results. */
export function requestContinuously<T>(
  request: (n: number) => Promise<T>,
  { width, until, mayContinue }: Load,
): { ledger: Ledger<T>; stop: () => Promise<Ledger<T>> } {
  const ledger: Ledger<T> = { acknowledged: [], unacknowledged: 0 };
  let count = 0;
  const stopping = new AbortController();
  const loop = async (): Promise<void> => {
    while (!stopping.signal.aborted && !until.aborted) {
      if (mayContinue !== undefined && !(await mayContinue())) {
        await sleep(POLL_INTERVAL_MS);
        continue;
      }
      count += 1;
      try {
        ledger.acknowledged.push(await request(count));
      } catch {
        ledger.unacknowledged += 1;
        // A dead server refuses connections immediately; this limits the number of attempts.
        await sleep(20);
      }
    }
  };
  const loops = Array.from({ length: width }, loop);
  return {
    ledger,
    stop: async () => {
      stopping.abort();
      await Promise.all(loops);
      return ledger;
    },
  };
}
