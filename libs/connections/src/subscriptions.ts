import { createLogger } from '@app/observability';
import type { Redis } from 'ioredis';
import { setTimeout as sleep } from 'node:timers/promises';

/** Pause before a refused subscription is asked for again. */
const RETRY_MS = 1000;

export interface ChannelListener {
  /** The bytes as they were published. */
  readonly onMessage: (message: Buffer) => void;
  /** The channel is listened to again after the connection broke: what was published meanwhile is lost. */
  readonly onResumed?: () => void;
}

/**
 * What this process hears over Redis: one connection, and for each channel one listener, which gets its own messages
 * and is not bothered with others'. Nothing is decoded on the way: event frames are many and large, and of one
 * connection that hears them all.
 */
export class Subscriptions {
  private readonly logger = createLogger('redis');
  private readonly listeners = new Map<string, ChannelListener>();

  /** The connection is nobody else's, and does not subscribe again by itself. */
  constructor(private readonly connection: Redis) {
    connection.on('messageBuffer', (channel: Buffer, message: Buffer) => {
      this.listeners.get(channel.toString())?.onMessage(message);
    });
    connection.on('ready', () => void this.resume());
  }

  /**
   * Resolves once everything published from then on is heard. A Redis that is away or refuses is asked again until it
   * agrees or the channel is closed; it rejects where the connection is closed for good.
   */
  async open(channel: string, listener: ChannelListener): Promise<void> {
    if (this.listeners.has(channel)) throw new Error(`${channel} has a listener already`);
    this.listeners.set(channel, listener);
    await this.subscribe([channel]);
  }

  /** One that is not open is no fault. */
  close(channel: string): void {
    if (!this.listeners.delete(channel)) return;
    // Fails only where the connection is closed for good, and with it the subscription.
    this.connection.unsubscribe(channel).catch(() => undefined);
  }

  private async resume(): Promise<void> {
    const resumed = [...this.listeners];
    try {
      await this.subscribe(resumed.map(([channel]) => channel));
    } catch {
      // Closed for good.
      return;
    }
    for (const [channel, listener] of resumed) {
      if (this.listeners.get(channel) === listener) listener.onResumed?.();
    }
  }

  private async subscribe(channels: readonly string[]): Promise<void> {
    for (;;) {
      const open = channels.filter((channel) => this.listeners.has(channel));
      if (open.length === 0) return;
      try {
        await this.connection.subscribe(...open);
        return;
      } catch (error) {
        if (this.connection.status === 'end') throw error;
        const reason = (error as Error).message;
        this.logger.warn({ reason, channels: open.length }, 'channels not listened to; asked for again soon');
      }
      await sleep(RETRY_MS, undefined, { ref: false });
    }
  }
}
