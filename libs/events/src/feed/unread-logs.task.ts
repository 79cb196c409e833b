import { PeriodicTasks } from '@app/dispatch';
import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { EventLog } from '../event-log.js';
import type { EventProviderName } from './event-provider.js';
import { EventProviders } from './event-providers.js';
import { EVERY_ORGANIZATION, GrownLogs } from './grown-logs.js';

const INTERVAL_MS = 60_000;
/** Interval of the searches of all logs while Redis loses no data. Logs are kept for an hour. */
const SEARCH_INTERVAL_MS = 600_000;

/**
 * Restores notes that a publishing process or Redis lost: notes the logs that are not read to their end by a provider
 * that follows all organizations. If Redis lost its data, it has also lost which providers follow it, so all logs are
 * searched within a minute. Providers that follow only some organizations have a task of their own.
 */
@Injectable()
export class UnreadLogsTask implements OnApplicationBootstrap {
  private searchedAt = -Infinity;

  constructor(
    private readonly log: EventLog,
    private readonly logs: GrownLogs,
    private readonly providers: EventProviders,
    private readonly tasks: PeriodicTasks,
  ) {}

  onApplicationBootstrap(): void {
    this.tasks.every('events.note_unread', INTERVAL_MS, (signal) => this.run(signal));
  }

  async run(signal: AbortSignal): Promise<void> {
    const names = this.providers.followers.filter(({ followsAll }) => followsAll).map(({ name }) => name);
    if (names.length === 0) return;
    const wereLost = await Promise.all(names.map((name) => this.logs.follow(name, EVERY_ORGANIZATION)));
    const startedAt = performance.now();
    if (!wereLost.includes(true) && startedAt - this.searchedAt < SEARCH_INTERVAL_MS) return;
    await this.noteUnread(names, signal);
    this.searchedAt = startedAt;
  }

  private async noteUnread(names: readonly EventProviderName[], signal: AbortSignal): Promise<void> {
    for await (const executions of this.log.kept()) {
      if (signal.aborted) return;
      const newest = await this.log.newest(executions);
      for (const name of names) {
        const positions = await Promise.all(executions.map((execution) => this.logs.position(name, execution)));
        const unread = executions.filter((_, index) => positions[index]?.counter !== newest[index]?.counter);
        if (unread.length > 0) await this.logs.note(name, unread);
      }
    }
  }
}
