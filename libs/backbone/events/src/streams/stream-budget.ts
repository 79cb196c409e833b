import { StreamConfig } from '@app/config';
import { FairQueue, throttled, unavailable, type Scope } from '@app/kernel';
import { Injectable } from '@nestjs/common';

/** The streams of one organization. */
interface Account {
  readonly organizationId: string;
  streams: number;
  /** Bytes that are queued for the clients, or that pages which are being read may have. */
  bytes: number;
}

interface WaitingTurn {
  readonly bytes: number;
  readonly begin: () => void;
}

/**
 * Bounds the streams of each organization, and the bytes that they hold for clients which do not read. A stream reads a
 * page only when the bytes of the page fit into the limits of its organization and of the process; until then, the page
 * stays in its store. An organization that holds no bytes always reads a page, so that others cannot block it.
 */
@Injectable()
export class StreamBudget {
  private readonly accounts = new Map<string, Account>();
  private readonly waiting = new FairQueue<WaitingTurn, Account>();
  private heldBytes = 0;

  constructor(private readonly config: StreamConfig) {}

  /** Bytes that the streams of this process hold. */
  get bytes(): number {
    return this.heldBytes;
  }

  /** Counts a stream until its share is closed. Throws `streams_too_many` if the organization has the maximum number. */
  enter({ organizationId }: Scope): StreamShare {
    const { maxStreams } = this.config;
    const account = this.accounts.get(organizationId) ?? { organizationId, streams: 0, bytes: 0 };
    if (account.streams >= maxStreams) {
      const message = `The organization has the maximum number of event streams to this process: ${maxStreams}`;
      throw throttled('streams_too_many', message, 1000);
    }
    account.streams += 1;
    this.accounts.set(organizationId, account);
    return new StreamShare(this, account);
  }

  leave(account: Account): void {
    account.streams -= 1;
    if (account.streams === 0) this.accounts.delete(account.organizationId);
  }

  isExceeded({ bytes }: Account): boolean {
    return bytes >= this.config.queuedBytes || this.heldBytes >= this.config.queuedBytesOfProcess;
  }

  add(account: Account, bytes: number): void {
    account.bytes += bytes;
    this.heldBytes += bytes;
  }

  remove(account: Account, bytes: number): void {
    account.bytes -= bytes;
    this.heldBytes -= bytes;
    this.beginTurns();
  }

  /** Calls `begin` when the bytes fit, at once or later, and adds them before. Returns a function that ends the wait. */
  whenFree(account: Account, turn: WaitingTurn): () => void {
    this.waiting.push(account, turn);
    this.beginTurns();
    return () => {
      this.waiting.remove(account, turn);
      this.beginTurns();
    };
  }

  /** The error for a stream that could not begin in time. */
  busy({ bytes }: Account): Error {
    const { queuedBytes, queuedBytesOfProcess } = this.config;
    const [whose, limit] =
      bytes >= queuedBytes / 2 ? ['the organization', queuedBytes] : ['all organizations', queuedBytesOfProcess];
    return unavailable(
      'streams_busy',
      `The event streams of ${whose} hold too many bytes that their clients have not read: at most ${limit} in a process`,
    );
  }

  private beginTurns(): void {
    const fitting = this.waiting.take((account, [turn]) => (this.fits(account, turn.bytes) ? turn : undefined));
    for (const [account, turn] of fitting) {
      this.add(account, turn.bytes);
      turn.begin();
    }
  }

  private fits(account: Account, bytes: number): boolean {
    if (account.bytes === 0) return true;
    const { queuedBytes, queuedBytesOfProcess } = this.config;
    return account.bytes + bytes <= queuedBytes && this.heldBytes + bytes <= queuedBytesOfProcess;
  }
}

/** What one stream holds of the budget. */
export class StreamShare {
  private own = 0;
  private closed = false;
  /** Ends the wait for a turn, with false. */
  private stopWaiting: (() => void) | undefined;

  constructor(
    private readonly budget: StreamBudget,
    private readonly account: Account,
  ) {}

  /** Whether a limit is reached, so that nothing must be queued that can be read again later. */
  get isExceeded(): boolean {
    return this.budget.isExceeded(this.account);
  }

  add(bytes: number): void {
    if (this.closed) return;
    this.own += bytes;
    this.budget.add(this.account, bytes);
  }

  remove(bytes: number): void {
    if (this.closed) return;
    this.own -= bytes;
    this.budget.remove(this.account, bytes);
  }

  /**
   * Runs a step that reads a page of up to `bytes` and queues it, when these bytes fit. Returns undefined, and does not
   * run the step, if the share was closed before. Rejects with `streams_busy` after `limitMs`; without it, waits as long
   * as the stream is open.
   */
  async turn<T>(bytes: number, step: () => Promise<T>, limitMs?: number): Promise<T | undefined> {
    if (!(await this.admitted(bytes, limitMs))) return undefined;
    try {
      return await step();
    } finally {
      this.remove(bytes);
    }
  }

  /** Idempotent. Releases all bytes of the stream. */
  close(): void {
    if (this.closed) return;
    this.closed = true;
    this.stopWaiting?.();
    this.budget.leave(this.account);
    this.budget.remove(this.account, this.own);
  }

  private admitted(bytes: number, limitMs: number | undefined): Promise<boolean> {
    if (this.closed) return Promise.resolve(false);
    return new Promise((resolve, reject) => {
      let cancel = (): void => undefined;
      let timer: NodeJS.Timeout | undefined;
      const settle = (then: () => void): void => {
        clearTimeout(timer);
        this.stopWaiting = undefined;
        then();
      };
      const begin = (): void => {
        this.own += bytes;
        settle(() => resolve(true));
      };
      if (limitMs !== undefined) {
        timer = setTimeout(() => {
          cancel();
          settle(() => reject(this.budget.busy(this.account)));
        }, limitMs);
      }
      this.stopWaiting = () => {
        cancel();
        settle(() => resolve(false));
      };
      cancel = this.budget.whenFree(this.account, { bytes, begin });
    });
  }
}
