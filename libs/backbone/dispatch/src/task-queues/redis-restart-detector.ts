import { RedisConnections } from '@app/redis';
import { Injectable } from '@nestjs/common';

/** Holds the run ids of the primaries whose queues were last restored from PostgreSQL. */
const MARKER_KEY = 'dispatch:store-seen';

/** A run of the Redis servers whose queues have not been restored from PostgreSQL. */
export interface UnseenRun {
  /** The run ids of the primaries. */
  readonly id: string;
  /**
   * What is known about the data of earlier runs. `kept`: the marker of an earlier run is there. `lost`: this process has
   * seen a marker that is now missing. `unknown`: this process has never seen a marker.
   */
  readonly past: 'kept' | 'lost' | 'unknown';
}

/**
 * Detects that Redis may have lost deliveries: after a restart, a failover or a flush, the marker is missing or has the id
 * of another run. In a cluster, a run ends with that of any primary: the others keep their deliveries, and adding these
 * again has no effect. A move of slots without a new primary loses nothing.
 */
@Injectable()
export class RedisRestartDetector {
  private hasSeenMarker = false;

  constructor(private readonly connections: RedisConnections) {}

  /**
   * Returns the current run, to be passed to `markSeen` after all pending work has been queued again. Returns undefined
   * if the marker has the id of the current run, so nothing was lost.
   */
  async unseenRun(): Promise<UnseenRun | undefined> {
    const [infos, marker] = await Promise.all([this.readInfos(), this.connections.commands.get(MARKER_KEY)]);
    const runs = infos.map((info) => /^run_id:(\w+)/m.exec(info)?.[1] ?? 'unknown');
    const id = runs.toSorted().join(' ');
    const hadSeenMarker = this.hasSeenMarker;
    this.hasSeenMarker ||= marker !== null;
    if (marker === id) return undefined;
    if (marker !== null) return { id, past: 'kept' };
    return { id, past: hadSeenMarker ? 'lost' : 'unknown' };
  }

  async markSeen(run: UnseenRun): Promise<void> {
    await this.connections.commands.set(MARKER_KEY, run.id);
    this.hasSeenMarker = true;
  }

  private async readInfos(): Promise<readonly string[]> {
    const primaries = await this.connections.primaries();
    return Promise.all(primaries.map((primary) => primary.info('server')));
  }
}
