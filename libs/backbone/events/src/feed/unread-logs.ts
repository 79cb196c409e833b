import { RedisConnections, type RedisClient } from '@app/redis';
import { Clock } from '@app/kernel';
import { Injectable } from '@nestjs/common';
import { channelOf, HEAD_RETENTION_SECONDS } from '../log/event-log.js';
import type { EventId } from '../log/event-id.js';
import type { ExecutionRef } from '../log/event-types.js';
import { withUnreadLogsCommands, type UnreadLogsCommands } from './unread-logs.scripts.js';
import type { EventProviderName } from './event-provider.js';

/** Used in place of the id of an organization by providers that follow all organizations. */
export const EVERY_ORGANIZATION = '*';

export interface ClaimedLogs {
  readonly executions: readonly ExecutionRef[];
  /** Whether logs that may be read remain: they wait for a place. */
  readonly remaining: boolean;
}

/** Duration of a claim. Afterwards the claiming process counts as dead, and another process may claim the log. */
const CLAIM_MS = 30_000;

/**
 * The logs that each provider has not read to their end, and its position in each. They are stored in Redis like the
 * logs themselves, so both are lost together. An execution is added once, however many events were appended. The logs
 * wait in a queue per organization, and organizations take turns. The keys of a provider share a hash slot.
 */
@Injectable()
export class UnreadLogs {
  private readonly redis: RedisClient & UnreadLogsCommands;

  constructor(
    private readonly connections: RedisConnections,
    private readonly clock: Clock,
  ) {
    this.redis = withUnreadLogsCommands(connections.commands);
  }

  /** Adds the logs of those executions whose organizations the provider follows. Returns their number. */
  async add(provider: EventProviderName, executions: readonly ExecutionRef[]): Promise<number> {
    const { turns, queues, marked, followed, channel } = keysOf(provider);
    const members = executions.flatMap((execution) => [execution.organizationId, memberOf(execution)]);
    return this.redis.unreadLogsAdd(...turns, marked, followed, queues, this.clock.millis(), channel, ...members);
  }

  /**
   * From now on, `add` accepts the logs of this organization, or of `EVERY_ORGANIZATION`. Returns false if it accepted
   * them before.
   */
  async follow(provider: EventProviderName, organizationId: string): Promise<boolean> {
    return (await this.redis.sadd(keysOf(provider).followed, organizationId)) > 0;
  }

  /** Replaces the organizations whose logs `add` accepts. */
  async followOnly(provider: EventProviderName, organizationIds: readonly string[]): Promise<void> {
    const { followed } = keysOf(provider);
    const current = await this.redis.smembers(followed);
    const wanted = new Set(organizationIds);
    const stale = current.filter((id) => !wanted.has(id));
    if (wanted.size > 0) await this.redis.sadd(followed, ...wanted);
    if (stale.length > 0) await this.redis.srem(followed, ...stale);
  }

  /** Calls the listener whenever logs were added. */
  async onAdded(provider: EventProviderName, listener: () => void): Promise<void> {
    await this.connections.subscriptions.open(keysOf(provider).channel, { onMessage: listener, onResumed: listener });
  }

  /** Rejects if Redis does not respond. */
  async ping(): Promise<void> {
    await this.redis.ping();
  }

  /**
   * Claims logs for up to `free` places, one of each organization in turn. `held` are the places that organizations
   * hold: an organization gets a further place only while more places are free than it holds.
   */
  async claim(
    provider: EventProviderName,
    free: number,
    held: Iterable<readonly [string, number]>,
  ): Promise<ClaimedLogs> {
    const { turns, queues, marked, earlier } = keysOf(provider);
    const now = this.clock.millis();
    const places = [...held].flat();
    const [remaining, ...members] = await this.redis.unreadLogsClaim(
      ...turns,
      marked,
      earlier,
      queues,
      now,
      now + CLAIM_MS,
      free,
      ...places,
    );
    return { executions: members.map(parseMember), remaining: remaining === 1 };
  }

  /**
   * Ends a claim. Without a delay, the log was read to its end; with a delay, it can be claimed again after the delay.
   */
  async release(provider: EventProviderName, execution: ExecutionRef, retryAfterMs?: number): Promise<void> {
    const { turns, queues, marked } = keysOf(provider);
    const now = this.clock.millis();
    const next = retryAfterMs === undefined ? '' : now + retryAfterMs;
    const log = [execution.organizationId, memberOf(execution)];
    await this.redis.unreadLogsRelease(...turns, marked, queues, now, ...log, next);
  }

  /** Returns the last event that the provider has accepted; undefined if there is none. */
  async position(provider: EventProviderName, execution: ExecutionRef): Promise<EventId | undefined> {
    const text = await this.redis.hget(positionsOf(execution), provider);
    const [counter, micros] = (text ?? '').split('_').map(Number);
    return text === null || counter === undefined || micros === undefined ? undefined : { counter, micros };
  }

  async setPosition(provider: EventProviderName, execution: ExecutionRef, { counter, micros }: EventId): Promise<void> {
    const key = positionsOf(execution);
    await Promise.all([
      this.redis.hset(key, provider, `${counter}_${micros}`),
      this.redis.expire(key, HEAD_RETENTION_SECONDS),
    ]);
  }
}

interface Keys {
  /** The keys of the turns of organizations, in the order of the scripts. */
  readonly turns: readonly [ready: string, later: string, turn: string];
  /** Prefix of the queues of organizations. */
  readonly queues: string;
  /** Logs that a process of an earlier version added. */
  readonly earlier: string;
  readonly marked: string;
  readonly followed: string;
  readonly channel: string;
}

function keysOf(provider: EventProviderName): Keys {
  const prefix = `events:grown:{${provider}}`;
  return {
    turns: [`${prefix}:ready`, `${prefix}:later`, `${prefix}:turn`],
    queues: `${prefix}:queue:`,
    earlier: `${prefix}:logs`,
    marked: `${prefix}:marked`,
    followed: `${prefix}:followed`,
    channel: `${prefix}:noted`,
  };
}

function positionsOf(execution: ExecutionRef): string {
  return `${channelOf(execution)}:positions`;
}

/** Ids of organizations contain no colon; ids of executions may. */
function memberOf({ organizationId, executionId }: ExecutionRef): string {
  return `${organizationId}:${executionId}`;
}

function parseMember(member: string): ExecutionRef {
  const end = member.indexOf(':');
  return { organizationId: member.slice(0, end), executionId: member.slice(end + 1) };
}
