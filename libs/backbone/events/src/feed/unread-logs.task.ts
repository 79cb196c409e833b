import { PeriodicTasks } from '@app/dispatch';
import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { EventLog } from '../log/event-log.js';
import type { EventProviderName } from './event-provider.js';
import { EventProviders } from './event-providers.js';
import { EVERY_ORGANIZATION, UnreadLogs } from './unread-logs.js';

const INTERVAL_MS = 60_000;
/** Interval of the searches of all logs while Redis loses no data. Logs are kept for an hour. */
const SEARCH_INTERVAL_MS = 600_000;

/**
 * Restores unread logs that a publishing process did not record or Redis lost, for the providers that follow all
 * organizations: searches all logs for those that such a provider has not read to their end. If Redis lost its data, it
 * has also lost the list of these providers, so all logs are searched within a minute. Providers that follow only some
 * organizations have a task of their own.
 */
@Injectable()
export class UnreadLogsTask implements OnApplicationBootstrap {
  private searchedAt = -Infinity;

  constructor(
    private readonly log: EventLog,
    private readonly logs: UnreadLogs,
    private readonly providers: EventProviders,
    private readonly tasks: PeriodicTasks,
  ) {}

  onApplicationBootstrap(): void {
    this.tasks.every('events.find_unread', INTERVAL_MS, (signal) => this.run(signal));
  }

  async run(signal: AbortSignal): Promise<void> {
    const names = this.providers.followers.filter(({ followsAll }) => followsAll).map(({ name }) => name);
    if (names.length === 0) return;
    const wereLost = await Promise.all(names.map((name) => this.logs.follow(name, EVERY_ORGANIZATION)));
    const startedAt = performance.now();
    if (!wereLost.includes(true) && startedAt - this.searchedAt < SEARCH_INTERVAL_MS) return;
    await this.addUnread(names, signal);
    this.searchedAt = startedAt;
  }

  private async addUnread(names: readonly EventProviderName[], signal: AbortSignal): Promise<void> {
    for await (const executions of this.log.kept()) {
      if (signal.aborted) return;
      const newest = await this.log.newest(executions);
      for (const name of names) {
        const positions = await Promise.all(executions.map((execution) => this.logs.position(name, execution)));
        const unread = executions.filter((_, index) => positions[index]?.counter !== newest[index]?.counter);
        if (unread.length > 0) await this.logs.add(name, unread);
      }
    }
  }
}
