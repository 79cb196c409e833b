import { RedisConnections } from '@app/connections';
import { createLogger } from '@app/observability';
import { Injectable } from '@nestjs/common';
import type { Redis } from 'ioredis';
import { batchOf, readFrame, type EventFrame } from './event-frame.js';
import { channelOf } from './event-log.js';
import type { EventReader } from './event-reader.js';
import type { ExecutionRef } from './event-types.js';

interface Feed {
  readonly execution: ExecutionRef;
  readonly readers: Set<EventReader>;
  /** Resolves once the channel is listened to. */
  readonly subscribed: Promise<unknown>;
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
  private readonly subscriber: Redis;

  /** Listens from the start, so that no request's context clings to what is handed on. */
  constructor(connections: RedisConnections) {
    this.subscriber = connections.subscriber;
    this.subscriber.on('messageBuffer', (channel: Buffer, message: Buffer) => this.arrive(channel, message));
    this.subscriber.on('ready', () => void this.resume());
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
    // Fails only where the connection is closed for good, and with it the subscription.
    this.subscriber.unsubscribe(channel).catch(() => undefined);
  }

  private openFeed(execution: ExecutionRef, channel: string): Feed {
    const subscribed = this.subscriber.subscribe(channel);
    const feed: Feed = { execution, readers: new Set(), subscribed, arrived: [] };
    this.feeds.set(channel, feed);
    return feed;
  }

  /** Live events may have been lost while the connection was away: every reader looks at the list again. */
  private async resume(): Promise<void> {
    if (this.feeds.size === 0) return;
    try {
      await this.subscriber.subscribe(...this.feeds.keys());
      for (const feed of this.feeds.values()) for (const reader of feed.readers) reader.catchUp();
    } catch (error) {
      this.logger.warn({ reason: (error as Error).message }, 'channels not listened to; again at the next connection');
    }
  }

  private arrive(channel: Buffer, message: Buffer): void {
    const feed = this.feeds.get(channel.toString('latin1'));
    if (feed === undefined) return;
    feed.arrived.push(readFrame(feed.execution.executionId, message));
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
