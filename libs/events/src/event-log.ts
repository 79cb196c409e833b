import { RedisConnections } from '@app/connections';
import { Clock, invalid, type DomainError } from '@app/kernel';
import { Injectable } from '@nestjs/common';
import type { Redis } from 'ioredis';
import { encodeFrameBody, readFrame, type EventFrame, type GapReason } from './event-frame.js';
import type { EventId } from './event-id.js';
import { withEventLogCommands, type EventLogCommands } from './event-log.scripts.js';
import type { ExecutionRef, NewEvent, PublishedEvent } from './event-types.js';
import type { LogPosition } from './log-cursor.js';

/** How long events are kept after the last one of their execution, in seconds. */
export const EVENT_RETENTION_S = 3600;
/**
 * How long the counter outlives the events, in seconds: an execution that pauses for longer than the retention goes on
 * counting, so its readers can tell that they missed nothing.
 */
const HEAD_RETENTION_S = 24 * 3600;
/** What one execution may hold at most; beyond it the oldest events go, and readers who needed them get a gap. */
const MAX_EVENTS = 100_000;
const MAX_BYTES = 64 * 1_048_576;
/** Names of events that are remembered, for publishers that did not hear the answer and publish again. */
const MAX_NAMES = 512;
/** One page of reading. A page holds at least one frame, however large. */
const PAGE_EVENTS = 500;
const PAGE_BYTES = 1_048_576;

export interface LogPage {
  /** Set: something is missing (or nothing is known of the position), and the frames are the oldest kept. */
  readonly gap: GapReason | null;
  readonly frames: readonly EventFrame[];
  /** Where a reader of this page stands. */
  readonly position: LogPosition;
  /** Whether nothing more was there at the moment of reading. */
  readonly complete: boolean;
}

/**
 * The events of each execution: a list in Redis, kept for an hour, and a channel for whoever listens. The list holds
 * finished frames, so what is replayed and what arrives live are the same bytes, encoded once. All keys of an execution
 * share a hash slot.
 */
@Injectable()
export class EventLog {
  private readonly redis: Redis & EventLogCommands;

  constructor(
    connections: RedisConnections,
    private readonly clock: Clock,
  ) {
    this.redis = withEventLogCommands(connections.commands);
  }

  /**
   * Appends an event and tells the readers, in one round trip. With a lease token the write is fenced: `null` means that
   * the token is not known here to be the current one, and nothing was written. The caller then asks the truth
   * (PostgreSQL): is the token current, `setLease` and publish again; if not, refuse the write.
   */
  async publish(execution: ExecutionRef, event: NewEvent, leaseToken: string | null): Promise<PublishedEvent | null> {
    const { executionId } = execution;
    const keys = keysOf(execution);
    const timestamp = event.timestamp ?? this.clock.now().toISOString();
    const place = await this.redis.eventLogPublish(
      keys.log,
      keys.head,
      keys.lease,
      keys.names,
      leaseToken ?? '',
      frameStart(executionId),
      encodeFrameBody({ event_type: event.event_type, data: event.data, timestamp }),
      keys.channel,
      EVENT_RETENTION_S,
      HEAD_RETENTION_S,
      MAX_EVENTS,
      MAX_BYTES,
      event.once ?? '',
      MAX_NAMES,
      event.digest ?? '',
    );
    if (place === null) return null;
    const repeated = place.startsWith('=');
    const [id, digest] = place.slice(repeated ? 1 : 0).split(' ');
    if (repeated && isOther(event.digest, digest)) throw nameUsed();
    return { event_id: `${executionId}_${id}`, execution_id: executionId, event_type: event.event_type, repeated };
  }

  /**
   * Says which token is current, for as long as its lease lasts without renewal: a fence that outlived its lease could
   * let a late writer in. Set it when the lease has been renewed, and ask once more afterwards whether the token is
   * still current: whoever ended the lease in between has cleared what was not there yet.
   */
  async setLease(execution: ExecutionRef, token: string, validForMs: number): Promise<void> {
    await this.redis.set(keysOf(execution).lease, token, 'PX', Math.max(1, Math.ceil(validForMs)));
  }

  /** No token passes any more without being looked up. Call it when a lease ends. */
  async clearLease(execution: ExecutionRef): Promise<void> {
    await this.redis.del(keysOf(execution).lease);
  }

  /** The kept events after a position, at most one page of them. */
  async read(execution: ExecutionRef, after: LogPosition): Promise<LogPage> {
    const keys = keysOf(execution);
    const { counter, micros } = typeof after === 'object' ? after : { counter: after === 'first' ? 0 : -1, micros: 0 };
    const [gap, newestCounter, newestMicros, ...bytes] = await this.redis.eventLogReadBuffer(
      keys.log,
      keys.head,
      counter,
      micros,
      frameStart(execution.executionId),
      PAGE_EVENTS,
      PAGE_BYTES,
    );
    const newest = { counter: Number(newestCounter), micros: Number(newestMicros) };
    const frames = bytes.map((frame) => readFrame(execution.executionId, frame));
    const last = frames.at(-1)?.id ?? newest;
    return {
      gap: gap === 0 ? null : gap === 1 ? 'expired' : 'unknown_event_id',
      frames,
      position: last.counter === 0 ? 'first' : last,
      complete: last.counter === newest.counter,
    };
  }

  /** The newest event of each execution, in their order; undefined where none is known. */
  async newest(executions: readonly ExecutionRef[]): Promise<readonly (EventId | undefined)[]> {
    const heads = await Promise.all(executions.map((execution) => this.redis.hmget(keysOf(execution).head, 'n', 't')));
    return heads.map(([counter, micros]) =>
      counter == null || micros == null ? undefined : { counter: Number(counter), micros: Number(micros) },
    );
  }
}

interface Keys {
  readonly log: string;
  readonly head: string;
  readonly lease: string;
  readonly names: string;
  readonly channel: string;
}

/** Names that clients give are their `Idempotency-Key`s, and only those are compared. */
function nameUsed(): DomainError {
  const msg = 'This Idempotency-Key was used with another event';
  return invalid([{ loc: ['header', 'Idempotency-Key'], msg, type: 'value_error' }]);
}

function isOther(asked: string | undefined, known: string | undefined): boolean {
  return asked !== undefined && known !== undefined && known !== '' && asked !== known;
}

/** The braces make all keys of an execution share a slot; neither id can hold one. */
function keysOf(execution: ExecutionRef): Keys {
  const channel = channelOf(execution);
  return {
    log: `${channel}:log`,
    head: `${channel}:head`,
    lease: `${channel}:lease`,
    names: `${channel}:names`,
    channel,
  };
}

export function channelOf({ organizationId, executionId }: ExecutionRef): string {
  return `events:{${organizationId}:${executionId}}`;
}

function frameStart(executionId: string): string {
  return `id: ${executionId}_`;
}
