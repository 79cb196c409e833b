import { RedisConnections, type Subscriptions } from '@app/connections';
import { createLogger } from '@app/observability';
import { Injectable } from '@nestjs/common';
import { batchOf, readFrame, type EventFrame } from './event-frame.js';
import { channelOf } from './event-log.js';
import type { EventReader } from './event-reader.js';
import type { ExecutionRef } from './event-types.js';

interface Feed {
  readonly execution: ExecutionRef;
  readonly readers: Set<EventReader>;
  /** Resolves once the channel is listened to. */
  readonly subscribed: Promise<void>;
  /** Arrived in this turn of the event loop, not yet handed on. */
  arrived: EventFrame[];
}

/**
 * Hands published events to the readers of this process: one connection to Redis however many readers there are, one
 * subscription per execution that has any. What arrives in one turn of the event loop is joined and given to each
 * reader as one piece.
 */
@Injectable()
export class EventHub {
  private readonly logger = createLogger('events');
  /** By channel. */
  private readonly feeds = new Map<string, Feed>();
  private readonly dirty = new Set<Feed>();
  private readonly subscriptions: Subscriptions;

  /** Connects from the start, so that no request's context clings to what is handed on. */
  constructor(connections: RedisConnections) {
    this.subscriptions = connections.subscriptions;
  }

  /** Resolves once every event published from then on reaches the reader; while Redis is away it waits for it. */
  async attach(reader: EventReader): Promise<void> {
    const channel = channelOf(reader.execution);
    const feed = this.feeds.get(channel) ?? this.openFeed(reader.execution, channel);
    feed.readers.add(reader);
    await feed.subscribed;
  }

  /** Twice is once, and one that was never attached is no fault. */
  detach(reader: EventReader): void {
    const channel = channelOf(reader.execution);
    const feed = this.feeds.get(channel);
    if (feed?.readers.delete(reader) !== true || feed.readers.size > 0) return;
    this.feeds.delete(channel);
    this.subscriptions.close(channel);
  }

  private openFeed(execution: ExecutionRef, channel: string): Feed {
    const subscribed = this.subscriptions.open(channel, {
      onMessage: (message) => this.arrive(feed, message),
      onResumed: () => catchUp(feed),
    });
    const feed: Feed = { execution, readers: new Set(), subscribed, arrived: [] };
    this.feeds.set(channel, feed);
    return feed;
  }

  private arrive(feed: Feed, message: Buffer): void {
    try {
      feed.arrived.push(readFrame(feed.execution.executionId, message));
    } catch (error) {
      this.logger.warn({ reason: (error as Error).message }, 'a message that is no event; its readers read the log');
      return catchUp(feed);
    }
    if (this.dirty.size === 0) setImmediate(() => this.handOn());
    this.dirty.add(feed);
  }

  private handOn(): void {
    const feeds = [...this.dirty];
    this.dirty.clear();
    for (const feed of feeds) {
      const [first, ...rest] = feed.arrived;
      feed.arrived = [];
      if (first === undefined) continue;
      const batch = batchOf([first, ...rest]);
      for (const reader of feed.readers) reader.receive(batch);
    }
  }
}

/** Live events may have been lost: every reader looks at the list again. */
function catchUp({ readers }: Feed): void {
  for (const reader of readers) reader.catchUp();
}
