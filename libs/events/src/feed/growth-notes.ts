import { createLogger } from '@app/observability';
import { Injectable, type BeforeApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { channelOf, EventLog } from '../event-log.js';
import type { ExecutionRef } from '../event-types.js';
import { EventProviders } from './event-providers.js';
import { GrownLogs } from './grown-logs.js';

/**
 * Logs that grow within this time are noted together, so that a publisher of a thousand events per second causes few
 * commands.
 */
const COLLECT_MS = 20;
const RETRY_MS = 1000;
/** Maximum number of executions per command. */
const BATCH_SIZE = 1000;
/**
 * Maximum number of executions in memory while Redis is unreachable. Nothing can be published meanwhile, so few are
 * added.
 */
const MAX_NOTES = 100_000;

/**
 * Notes which logs have grown, for the providers that follow the log. The publisher does not wait for this. If the
 * process dies before it has noted a log, the next event of the execution notes the log again; if there is no further
 * event, a periodic task of the provider does.
 */
@Injectable()
export class GrowthNotes implements OnModuleInit, BeforeApplicationShutdown {
  private readonly logger = createLogger('events');
  private grown = new Map<string, ExecutionRef>();
  private timer: NodeJS.Timeout | undefined;
  private noting: Promise<void> | undefined;

  constructor(
    private readonly log: EventLog,
    private readonly providers: EventProviders,
    private readonly logs: GrownLogs,
  ) {}

  onModuleInit(): void {
    this.log.onGrowth((execution) => this.add(execution));
  }

  async beforeApplicationShutdown(): Promise<void> {
    clearTimeout(this.timer);
    await this.noting;
    await this.noteAll();
  }

  private add(execution: ExecutionRef): void {
    if (this.grown.size < MAX_NOTES) this.grown.set(channelOf(execution), execution);
    this.schedule(COLLECT_MS);
  }

  private schedule(delayMs: number): void {
    if (this.timer !== undefined || this.noting !== undefined) return;
    this.timer = setTimeout(() => {
      this.timer = undefined;
      this.noting = this.noteAndSchedule();
    }, delayMs).unref();
  }

  private async noteAndSchedule(): Promise<void> {
    const done = await this.noteAll();
    this.noting = undefined;
    if (this.grown.size > 0) this.schedule(done ? COLLECT_MS : RETRY_MS);
  }

  /** Returns false if it failed; another attempt follows. */
  private async noteAll(): Promise<boolean> {
    const grown = this.grown;
    this.grown = new Map();
    const executions = [...grown.values()];
    try {
      for (let start = 0; start < executions.length; start += BATCH_SIZE) {
        const batch = executions.slice(start, start + BATCH_SIZE);
        await Promise.all(this.providers.followers.map(({ name }) => this.logs.note(name, batch)));
      }
      return true;
    } catch (error) {
      this.logger.debug(
        { reason: (error as Error).message, executions: grown.size },
        'noting grown logs failed, retrying',
      );
      for (const [key, execution] of grown) this.grown.set(key, execution);
      return false;
    }
  }
}
