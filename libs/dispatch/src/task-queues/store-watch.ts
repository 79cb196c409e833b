import { RedisConnections } from '@app/connections';
import { Injectable } from '@nestjs/common';

const MARKER = 'dispatch:store-seen';

/**
 * Notices that Redis may have lost deliveries: a server that started anew (or another one in its place, or an emptied
 * one) does not carry the mark of the server that was last brought in line with Postgres.
 */
@Injectable()
export class StoreWatch {
  constructor(private readonly connections: RedisConnections) {}

  /** The run to hand to `markSeen` once everything pending was queued again; undefined when nothing was lost. */
  async unseenRun(): Promise<string | undefined> {
    const { commands } = this.connections;
    const [info, seen] = await Promise.all([commands.info('server'), commands.get(MARKER)]);
    const run = /^run_id:(\w+)/m.exec(info)?.[1] ?? 'unknown';
    return seen === run ? undefined : run;
  }

  async markSeen(run: string): Promise<void> {
    await this.connections.commands.set(MARKER, run);
  }
}
