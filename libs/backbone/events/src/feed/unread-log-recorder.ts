import { createLogger } from '@app/observability';
import { Injectable, type BeforeApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { channelOf, EventLog } from '../log/event-log.js';
import type { ExecutionRef } from '../log/event-types.js';
import { EventProviders } from './event-providers.js';
import { UnreadLogs } from './unread-logs.js';

/**
 * Logs that receive events within this time are recorded together, so that a publisher of a thousand events per second
 * causes few commands.
 */
const COLLECT_MS = 20;
const RETRY_MS = 1000;
/** Maximum number of executions per command. */
const BATCH_SIZE = 1000;
/**
 * Maximum number of executions in memory while Redis is unreachable. Nothing can be published meanwhile, so few are
 * added.
 */
const MAX_UNREAD = 100_000;

/**
 * Records the logs with new events as unread, for the providers that follow the log. The publisher does not wait for
 * this. If the process dies before it has recorded a log, the log is recorded after the next event of the execution or,
 * if there is no further event, by a periodic task of the provider.
 */
@Injectable()
export class UnreadLogRecorder implements OnModuleInit, BeforeApplicationShutdown {
  private readonly logger = createLogger('events');
  private unread = new Map<string, ExecutionRef>();
  private timer: NodeJS.Timeout | undefined;
  private recording: Promise<void> | undefined;

  constructor(
    private readonly log: EventLog,
    private readonly providers: EventProviders,
    private readonly logs: UnreadLogs,
  ) {}

  onModuleInit(): void {
    this.log.onAppended((execution) => this.add(execution));
  }

  async beforeApplicationShutdown(): Promise<void> {
    clearTimeout(this.timer);
    await this.recording;
    await this.recordAll();
  }

  private add(execution: ExecutionRef): void {
    if (this.unread.size < MAX_UNREAD) this.unread.set(channelOf(execution), execution);
    this.schedule(COLLECT_MS);
  }

  private schedule(delayMs: number): void {
    if (this.timer !== undefined || this.recording !== undefined) return;
    this.timer = setTimeout(() => {
      this.timer = undefined;
      this.recording = this.recordAndSchedule();
    }, delayMs).unref();
  }

  private async recordAndSchedule(): Promise<void> {
    const done = await this.recordAll();
    this.recording = undefined;
    if (this.unread.size > 0) this.schedule(done ? COLLECT_MS : RETRY_MS);
  }

  /** Returns false if it failed; another attempt follows. */
  private async recordAll(): Promise<boolean> {
    const unread = this.unread;
    this.unread = new Map();
    const executions = [...unread.values()];
    try {
      for (let start = 0; start < executions.length; start += BATCH_SIZE) {
        const batch = executions.slice(start, start + BATCH_SIZE);
        await Promise.all(this.providers.followers.map(({ name }) => this.logs.add(name, batch)));
      }
      return true;
    } catch (error) {
      this.logger.debug(
        { reason: (error as Error).message, executions: unread.size },
        'recording unread logs failed, retrying',
      );
      for (const [key, execution] of unread) this.unread.set(key, execution);
      return false;
    }
  }
}
