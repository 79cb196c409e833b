import { RedisConnections, type RedisClient } from '@app/redis';
import { Clock, idempotencyKeyReused, type JsonObject } from '@app/kernel';
import { Injectable } from '@nestjs/common';
import { bulkhead } from 'cockatiel';
import { encodeFrameBody, tryReadFrame, type EventFrame, type GapReason } from './event-frame.js';
import type { EventId } from './event-id.js';
import { withEventLogCommands, type EventLogCommands, type FrameRange } from './event-log.scripts.js';
import type { ExecutionRef, NewEvent, PublishedEvent } from './event-types.js';
import type { LogPosition } from './log-cursor.js';

/** Retention of events after the last event of their execution. */
export const EVENT_RETENTION_SECONDS = 3600;
/**
 * Retention of the counter, longer than that of the events: an execution continues its numbering even after a pause
 * longer than the event retention, so its readers can verify that they missed no event.
 */
export const HEAD_RETENTION_SECONDS = 24 * 3600;
/** Limits per execution. Beyond them the oldest events are removed, and readers that still needed them get a gap. */
const MAX_EVENTS = 100_000;
const MAX_BYTES = 64 * 1_048_576;
/**
 * Number of the last events of an execution whose dedupe keys are kept, for publishers that repeat a publish whose
 * response was lost.
 */
const MAX_DEDUPE_KEYS = 512;
/** Dedupe key of the `done` event which the platform publishes at the end of an execution. */
const DONE_KEY = 'done';
/** Limits of one page. A page contains at least one frame, whatever its size. */
const PAGE_EVENTS = 500;
const PAGE_BYTES = 262_144;
/** Size of a page in bytes up to which the script itself returns the frames, in one round trip. */
const DIRECT_BYTES = 16_384;
/** Number of keys that Redis examines in one step of a scan. */
const SCAN_COUNT = 500;
/** Number of events in a page of a log without an index. An event has at most 1 MiB. */
const UNINDEXED_PAGE_EVENTS = 4;

/**
 * Number of pages larger than `DIRECT_BYTES` that a process reads at the same time. Pages and publishes share a
 * connection: many readers of long logs would delay every publish.
 */
const CONCURRENT_LARGE_READS = 2;

export interface LogPage {
  /** If set, events are missing or the position is unknown, and `frames` are the oldest kept events. */
  readonly gap: GapReason | null;
  readonly frames: readonly EventFrame[];
  /** Number of entries of the log that are not frames, and that `frames` therefore lacks. */
  readonly invalid: number;
  /** Position after this page. */
  readonly position: LogPosition;
  /** Whether the page reaches the newest event. */
  readonly complete: boolean;
}

/**
 * The event log of each execution: a Redis list, kept for an hour, and a publish/subscribe channel. The list contains
 * encoded frames, so replay and live delivery send the same bytes. All keys of an execution share a hash slot.
 */
@Injectable()
export class EventLog {
  private readonly redis: RedisClient & EventLogCommands;
  private appended: ((execution: ExecutionRef) => void) | undefined;
  private readonly largeReads = bulkhead(CONCURRENT_LARGE_READS, Number.POSITIVE_INFINITY);

  constructor(
    private readonly connections: RedisConnections,
    private readonly clock: Clock,
  ) {
    this.redis = withEventLogCommands(connections.commands);
  }

  /**
   * Appends an event and publishes it to the readers, in one round trip. A lease token fences the write: `null` means
   * that Redis does not know the token as the current one, and that nothing was written. The caller then checks the
   * token in PostgreSQL. If it is current, the caller calls `setLease` and publishes again; otherwise it rejects the
   * write.
   */
  async publish(execution: ExecutionRef, event: NewEvent, leaseToken: string | null): Promise<PublishedEvent | null> {
    const { executionId } = execution;
    const keys = keysOf(execution);
    const timestamp = event.timestamp ?? this.clock.now().toISOString();
    const result = await this.redis.eventLogPublish(
      keys.log,
      keys.head,
      keys.lease,
      keys.names,
      keys.index,
      leaseToken ?? '',
      frameStart(executionId),
      encodeFrameBody({ event_type: event.event_type, data: event.data, timestamp }),
      keys.channel,
      EVENT_RETENTION_SECONDS,
      HEAD_RETENTION_SECONDS,
      MAX_EVENTS,
      MAX_BYTES,
      event.dedupeKey ?? '',
      MAX_DEDUPE_KEYS,
      event.digest ?? '',
    );
    if (result === null) return null;
    this.appended?.(execution);
    const repeated = result.startsWith('=');
    const [id, digest] = result.slice(repeated ? 1 : 0).split(' ');
    if (repeated && isDifferentEvent(event.digest, digest)) throw idempotencyKeyReused('event');
    return { event_id: `${executionId}_${id}`, execution_id: executionId, event_type: event.event_type, repeated };
  }

  /** Publishes the event that ends the streams of an execution. Idempotent. */
  async publishDone(execution: ExecutionRef, data: JsonObject): Promise<void> {
    await this.publish(execution, { event_type: 'done', data, dedupeKey: DONE_KEY }, null);
  }

  /** Returns whether `publishDone` was called and its event is not lost; a `done` of a worker does not count. */
  async hasDone(execution: ExecutionRef): Promise<boolean> {
    return (await this.redis.hexists(keysOf(execution).names, `=${DONE_KEY}`)) === 1;
  }

  /** Calls the listener after each event that this process appended. */
  onAppended(listener: (execution: ExecutionRef) => void): void {
    this.appended = listener;
  }

  /**
   * Stores the current token until its lease expires: if the copy existed longer than the lease, a late writer would be
   * accepted. Must be called after the lease was renewed. Afterwards the caller must check in PostgreSQL once more that
   * the token is still current: the lease may have ended meanwhile, and `clearLease` may have run before the token was
   * stored.
   */
  async setLease(execution: ExecutionRef, token: string, validForMs: number): Promise<void> {
    await this.redis.set(keysOf(execution).lease, token, 'PX', Math.max(1, Math.ceil(validForMs)));
  }

  /** Removes the token, so that the next fenced write is checked in PostgreSQL. Call it when a lease ends. */
  async clearLease(execution: ExecutionRef): Promise<void> {
    await this.redis.del(keysOf(execution).lease);
  }

  /** Returns one page of the kept events after a position. */
  async read(execution: ExecutionRef, after: LogPosition): Promise<LogPage> {
    const small = await this.readPage(execution, after, DIRECT_BYTES);
    return isRange(small.content) ? this.readLarge(execution, after) : pageOf(execution, small, small.content);
  }

  /** Requests the range again, because the log may have changed while the read waited for its turn. */
  private async readLarge(execution: ExecutionRef, after: LogPosition): Promise<LogPage> {
    return this.largeReads.execute(async () => {
      const page = await this.readPage(execution, after, DIRECT_BYTES);
      if (!isRange(page.content)) return pageOf(execution, page, page.content);
      const [index, count, counter] = page.content;
      const bytes = await this.redis.lrangeBuffer(keysOf(execution).log, index, index + count - 1);
      const read = pageOf(execution, page, bytes);
      if (read.frames.length + read.invalid === count && read.frames[0]?.id.counter === counter) return read;
      // The log lost its oldest events meanwhile, so the range contains other events.
      const snapshot = await this.readPage(execution, after, Number.MAX_SAFE_INTEGER);
      return pageOf(execution, snapshot, isRange(snapshot.content) ? [] : snapshot.content);
    });
  }

  /**
   * Returns the frames of a page of up to `directBytes`, read as one consistent snapshot, or the range of the frames of
   * a larger page.
   */
  private async readPage(execution: ExecutionRef, after: LogPosition, directBytes: number): Promise<ReadAnswer> {
    const keys = keysOf(execution);
    const { counter, micros } = typeof after === 'object' ? after : { counter: after === 'first' ? 0 : -1, micros: 0 };
    const [gap, newestCounter, newestMicros, ...content] = await this.redis.eventLogReadBuffer(
      keys.log,
      keys.head,
      keys.index,
      counter,
      micros,
      PAGE_EVENTS,
      PAGE_BYTES,
      UNINDEXED_PAGE_EVENTS,
      directBytes,
    );
    const newest = { counter: Number(newestCounter), micros: Number(newestMicros) };
    return { gap: gap === 0 ? null : gap === 1 ? 'expired' : 'unknown_event_id', newest, content };
  }

  /**
   * Yields the executions with kept events, in batches. Each execution that has events during the whole iteration is
   * yielded at least once, unless its slot moves between nodes of a cluster meanwhile.
   */
  async *kept(): AsyncGenerator<readonly ExecutionRef[]> {
    for (const primary of await this.connections.primaries()) {
      let cursor = '0';
      do {
        const [next, keys] = await primary.scan(cursor, 'MATCH', 'events:{*}:log', 'COUNT', SCAN_COUNT);
        const executions = keys.flatMap((key) => executionOf(key) ?? []);
        if (executions.length > 0) yield executions;
        cursor = next;
      } while (cursor !== '0');
    }
  }

  /** Returns the newest event id of each execution, in the given order; undefined if it has none. */
  async newest(executions: readonly ExecutionRef[]): Promise<readonly (EventId | undefined)[]> {
    const heads = await Promise.all(executions.map((execution) => this.redis.hmget(keysOf(execution).head, 'n', 't')));
    return heads.map(([counter, micros]) =>
      counter == null || micros == null ? undefined : { counter: Number(counter), micros: Number(micros) },
    );
  }
}

function isRange(content: Buffer[] | FrameRange): content is FrameRange {
  return typeof content[0] === 'number';
}

interface ReadAnswer {
  readonly gap: GapReason | null;
  /** Its counter is 0 if the log has no event. */
  readonly newest: EventId;
  readonly content: Buffer[] | FrameRange;
}

/** A page that contains only invalid entries ends at the newest event, because none of its entries has a position. */
function pageOf({ executionId }: ExecutionRef, { gap, newest }: ReadAnswer, bytes: readonly Buffer[]): LogPage {
  const read = bytes.map((frame) => tryReadFrame(executionId, frame));
  const frames = read.filter((frame) => frame !== null);
  const invalid = read.length - frames.length;
  const last = frames.at(-1)?.id ?? newest;
  return {
    gap,
    frames,
    invalid,
    position: last.counter === 0 ? 'first' : last,
    complete: last.counter === newest.counter,
  };
}

interface Keys {
  readonly log: string;
  readonly head: string;
  readonly lease: string;
  readonly names: string;
  readonly index: string;
  readonly channel: string;
}

function isDifferentEvent(asked: string | undefined, known: string | undefined): boolean {
  return asked !== undefined && known !== undefined && known !== '' && asked !== known;
}

/** The braces put all keys of an execution into one hash slot; neither id can contain a brace. */
function keysOf(execution: ExecutionRef): Keys {
  const channel = channelOf(execution);
  return {
    log: `${channel}:log`,
    head: `${channel}:head`,
    lease: `${channel}:lease`,
    names: `${channel}:names`,
    index: `${channel}:index`,
    channel,
  };
}

export function channelOf({ organizationId, executionId }: ExecutionRef): string {
  return `events:{${organizationId}:${executionId}}`;
}

/** Ids of organizations contain no colon; ids of executions can. */
function executionOf(logKey: string): ExecutionRef | undefined {
  const [, organizationId, executionId] = /^events:\{([^:]+):(.+)\}:log$/.exec(logKey) ?? [];
  return organizationId === undefined || executionId === undefined ? undefined : { organizationId, executionId };
}

function frameStart(executionId: string): string {
  return `id: ${executionId}_`;
}
