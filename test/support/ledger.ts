import { setTimeout as sleep } from 'node:timers/promises';

/** What a client was told of its requests while servers died under them. */
export interface Ledger<T> {
  /** Answers that said yes: none of this may ever be lost. */
  readonly acknowledged: T[];
  /** Requests without an answer, or with one that said no: these may have happened or not. */
  unanswered: number;
}

/**
 * Runs `request` again and again, `width` of them side by side, until told to stop or the test is over; notes how each
 * one ended.
 */
export function keepAsking<T>(
  request: (n: number) => Promise<T>,
  { width, until }: { width: number; until: AbortSignal },
): { ledger: Ledger<T>; stop: () => Promise<Ledger<T>> } {
  const ledger: Ledger<T> = { acknowledged: [], unanswered: 0 };
  let asked = 0;
  const stopping = new AbortController();
  const ask = async (): Promise<void> => {
    while (!stopping.signal.aborted && !until.aborted) {
      asked += 1;
      try {
        ledger.acknowledged.push(await request(asked));
      } catch {
        ledger.unanswered += 1;
        // A server that is away refuses at once: no need to ask thousands of times.
        await sleep(20);
      }
    }
  };
  const asking = Array.from({ length: width }, ask);
  return {
    ledger,
    stop: async () => {
      stopping.abort();
      await Promise.all(asking);
      return ledger;
    },
  };
}
