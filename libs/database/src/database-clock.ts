import { Clock } from '@app/kernel';
import { createLogger } from '@app/observability';
import type { Database } from './database.js';
import { READ_TIME } from './database-time.sql.js';

/** The clocks of hosts with a time service (NTP) differ by less. */
const MAX_DIFFERENCE_MS = 1000;
const SYNC_INTERVAL_MS = 10_000;

interface Anchor {
  /** The time of the database, in milliseconds since the Unix epoch. */
  readonly time: number;
  /** `performance.now()` when it was received; no change of the system clock affects that. */
  readonly at: number;
  /** Duration of the request in milliseconds: the database read its clock at most this long before `at`. */
  readonly uncertainty: number;
}

/**
 * The clock of this host while it agrees with that of the database, otherwise that of the database. All processes compare
 * stored times of each other, so one whose clock is three hours ahead would start the runs of schedules and delete rows
 * three hours early, and its executions would wait for three hours.
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
    return Math.abs(own - expected) > MAX_DIFFERENCE_MS + uncertainty ? expected : own;
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
    const [row] = await this.database.prepared<{ now: Date }>(READ_TIME, []);
    const at = performance.now();
    if (row !== undefined) this.anchor = { time: row.now.getTime(), at, uncertainty: at - sent };
  }

  /** Never throws: without an answer the last known difference is used. */
  private async follow(): Promise<void> {
    try {
      await this.sync();
    } catch (error) {
      this.logger.debug({ err: error }, 'time of the database not read');
      return;
    }
    const difference = this.host.millis() - this.millis();
    const isCorrected = difference !== 0;
    if (isCorrected && !this.isCorrected)
      this.logger.warn({ difference_ms: difference }, 'the clock of this host differs from that of the database');
    this.isCorrected = isCorrected;
  }
}
