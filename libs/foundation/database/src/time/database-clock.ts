import { uptime } from 'node:os';
import { Clock } from '@app/kernel';
import { createLogger } from '@app/observability';
import type { Database } from '../database.js';
import { databaseTime } from './database-time.js';

/** Shorter suspensions are not detected, because `uptime()` is less precise than `performance.now()`. */
const MIN_SUSPENSION_MS = 500;
/** Clocks of hosts that are synchronized (NTP) differ by less. */
const MAX_DIFFERENCE_MS = 1000;
const SYNC_INTERVAL_MS = 10_000;

interface Anchor {
  /** The time of the database, in milliseconds since the Unix epoch. */
  readonly time: number;
  /**
   * `performance.now()` when `time` was received; changes of the system clock do not affect it. It does not advance
   * while the host is suspended.
   */
  readonly at: number;
  /** `uptime()` when `time` was received, in milliseconds. It advances while the host is suspended. */
  readonly upAt: number;
  /** Duration of the request in milliseconds: the database read its clock at most this long before `at`. */
  readonly uncertainty: number;
}

/**
 * Returns the time of this host while it agrees with the clock of the database, otherwise the time of the database. All
 * processes compare times that other processes stored. A process whose clock is three hours ahead would start the runs
 * of schedules and delete rows three hours early, and its executions would wait for three hours.
 */
export class DatabaseClock extends Clock {
  private readonly logger = createLogger('clock');
  private anchor: Anchor | undefined;
  private timer: NodeJS.Timeout | undefined;
  private isCorrected = false;

  constructor(
    private readonly database: Database,
    private readonly host: Clock,
  ) {
    super();
  }

  now(): Date {
    return new Date(this.millis());
  }

  override millis(): number {
    const own = this.host.millis();
    if (this.anchor === undefined) return own;
    const { time, at, uncertainty } = this.anchor;
    const expected = Math.floor(time + performance.now() - at);
    if (Math.abs(own - expected) <= MAX_DIFFERENCE_MS + uncertainty) return own;
    // The system clock was set, or the host was suspended. A suspension is checked only in this case, because the check
    // reads a file.
    const corrected = expected + suspendedSince(this.anchor);
    return Math.abs(own - corrected) > MAX_DIFFERENCE_MS + uncertainty ? corrected : own;
  }

  async onModuleInit(): Promise<void> {
    await this.follow();
    this.timer = setInterval(() => void this.follow(), SYNC_INTERVAL_MS).unref();
  }

  onModuleDestroy(): void {
    clearInterval(this.timer);
  }

  /** Reads the time of the database. */
  async sync(): Promise<void> {
    const sent = performance.now();
    const time = (await databaseTime(this.database)).getTime();
    const at = performance.now();
    this.anchor = { time, at, uncertainty: at - sent, upAt: 1000 * uptime() };
  }

  /** Never throws: if the database does not respond, the last known difference is used. */
  private async follow(): Promise<void> {
    try {
      await this.sync();
    } catch (error) {
      this.logger.debug({ err: error }, 'reading the time of the database failed');
      return;
    }
    const difference = this.host.millis() - this.millis();
    // If the clocks agree, `millis()` returns the time of the host, and the difference is the time between the two calls.
    const isCorrected = Math.abs(difference) >= MAX_DIFFERENCE_MS;
    if (isCorrected && !this.isCorrected)
      this.logger.warn({ difference_ms: difference }, 'the clock of this host differs from that of the database');
    this.isCorrected = isCorrected;
  }
}

/** Milliseconds that the host has been suspended since then. */
function suspendedSince({ at, upAt }: Anchor): number {
  const suspended = Math.floor(1000 * uptime() - upAt - (performance.now() - at));
  return suspended < MIN_SUSPENSION_MS ? 0 : suspended;
}
