import { RedisConnections } from '@app/connections';
import { Injectable } from '@nestjs/common';

const MARKER = 'dispatch:store-seen';

/** A life of the store that was not brought in line with Postgres yet. */
export interface UnseenRun {
  readonly id: string;
  /** What it carries from an earlier life. `lost`: nothing, although this process knew one with a mark. */
  readonly past: 'kept' | 'lost' | 'unknown';
}

/**
 * Notices that Redis may have lost deliveries: a server that started anew (or another one in its place, or an emptied
 * one) does not carry the mark of the server that was last brought in line with Postgres.
 */
@Injectable()
export class StoreWatch {
  private hasSeenOne = false;

  constructor(private readonly connections: RedisConnections) {}

  /** The run to hand to `markSeen` once everything pending was queued again; undefined when nothing was lost. */
  async unseenRun(): Promise<UnseenRun | undefined> {
    const { commands } = this.connections;
    const [info, seen] = await Promise.all([commands.info('server'), commands.get(MARKER)]);
    const id = /^run_id:(\w+)/m.exec(info)?.[1] ?? 'unknown';
    const knewOne = this.hasSeenOne;
    this.hasSeenOne ||= seen !== null;
    if (seen === id) return undefined;
    if (seen !== null) return { id, past: 'kept' };
    return { id, past: knewOne ? 'lost' : 'unknown' };
  }

  async markSeen(run: UnseenRun): Promise<void> {
    await this.connections.commands.set(MARKER, run.id);
    this.hasSeenOne = true;
  }
}
