import { RedisConnections, type Subscriptions } from '@app/redis';
import { createLogger } from '@app/observability';
import { Injectable } from '@nestjs/common';
import { batchOf, readFrame, type EventFrame } from '../log/event-frame.js';
import { channelOf } from '../log/event-log.js';
import type { EventReader } from './event-reader.js';
import type { ExecutionRef } from '../log/event-types.js';

interface Feed {
  readonly execution: ExecutionRef;
  readonly readers: Set<EventReader>;
  /** Resolves once the channel is subscribed. */
  readonly subscribed: Promise<void>;
  /** Received in this turn of the event loop, not yet delivered to the readers. */
  received: EventFrame[];
}

/**
 * Delivers published events to the readers of this process. One Redis connection serves all readers; each execution
 * with readers has one subscription. Events received in one turn of the event loop are delivered as one batch.
 */
@Injectable()
export class EventHub {
  private readonly logger = createLogger('events');
  /** By channel. */
  private readonly feeds = new Map<string, Feed>();
  private readonly dirty = new Set<Feed>();
  private readonly subscriptions: Subscriptions;

  /**
   * Connects at construction, because messages are handled in the asynchronous context in which the connection was
   * opened, and this must not be the context of a request.
   */
  constructor(connections: RedisConnections) {
    this.subscriptions = connections.subscriptions;
  }

  /** Resolves when the reader is subscribed: it receives every later event. Waits while Redis is unreachable. */
  async attach(reader: EventReader): Promise<void> {
    const channel = channelOf(reader.execution);
    const feed = this.feeds.get(channel) ?? this.openFeed(reader.execution, channel);
    feed.readers.add(reader);
    await feed.subscribed;
  }

  /** Idempotent; does nothing for a reader that is not attached. */
  detach(reader: EventReader): void {
    const channel = channelOf(reader.execution);
    const feed = this.feeds.get(channel);
    if (feed?.readers.delete(reader) !== true || feed.readers.size > 0) return;
    this.feeds.delete(channel);
    this.subscriptions.close(channel);
  }

  private openFeed(execution: ExecutionRef, channel: string): Feed {
    const subscribed = this.subscriptions.open(channel, {
      onMessage: (message) => this.onMessage(feed, message),
      onResumed: () => catchUp(feed),
    });
    const feed: Feed = { execution, readers: new Set(), subscribed, received: [] };
    this.feeds.set(channel, feed);
    return feed;
  }

  private onMessage(feed: Feed, message: Buffer): void {
    try {
      feed.received.push(readFrame(feed.execution.executionId, message));
    } catch (error) {
      this.logger.warn(
        { reason: (error as Error).message },
        'invalid message on an event channel; readers catch up from the log',
      );
      return catchUp(feed);
    }
    if (this.dirty.size === 0) setImmediate(() => this.flush());
    this.dirty.add(feed);
  }

  private flush(): void {
    const feeds = [...this.dirty];
    this.dirty.clear();
    for (const feed of feeds) {
      const [first, ...rest] = feed.received;
      feed.received = [];
      if (first === undefined) continue;
      const batch = batchOf([first, ...rest]);
      for (const reader of feed.readers) reader.receive(batch);
    }
  }
}

/** Makes every reader read the list again, because live events may have been lost. */
function catchUp({ readers }: Feed): void {
  for (const reader of readers) reader.catchUp();
}
