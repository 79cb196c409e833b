import { createLogger } from '@app/observability';
import type { Redis } from 'ioredis';
import { setTimeout as sleep } from 'node:timers/promises';

/** Pause before a rejected subscription is retried. */
const RETRY_MS = 1000;

export interface ChannelListener {
  /** Receives the published bytes. */
  readonly onMessage: (message: Buffer) => void;
  /** Called after the channel was subscribed again on a new connection. Messages published meanwhile are lost. */
  readonly onResumed?: () => void;
}

/** A listener that reads the current state after each subscription. */
export interface ChannelFollower {
  readonly onMessage: (message: Buffer) => void;
  /** Called after the channel was subscribed, the first time and each time again: earlier messages may be lost. */
  readonly onSubscribed: () => void;
}

/**
 * Channel subscriptions of this process: one connection, one listener per channel. Messages are not decoded, because event
 * frames are many and large and all pass through this connection.
 */
export class Subscriptions {
  private readonly logger = createLogger('redis');
  private readonly listeners = new Map<string, ChannelListener>();

  private readonly timer: NodeJS.Timeout;

  /**
   * Requires a dedicated connection with `autoResubscribe: false`, which is closed if the server does not respond to a
   * command in time. A ping is sent every `pingMs`, because a subscriber sends nothing by itself and would wait forever
   * for the messages of a host that was lost, or on a connection that a firewall has forgotten.
   */
  constructor(
    private readonly connection: Redis,
    pingMs: number,
  ) {
    this.timer = setInterval(() => this.ping(), pingMs).unref();
    connection.on('messageBuffer', (channel: Buffer, message: Buffer) => {
      this.listeners.get(channel.toString())?.onMessage(message);
    });
    connection.on('ready', () => void this.resume());
  }

  /**
   * Resolves when the channel is subscribed: the listener receives every later message. Retries while Redis is
   * unreachable or rejects the command, until the channel is closed. Rejects if the connection was closed permanently.
   */
  async open(channel: string, listener: ChannelListener): Promise<void> {
    if (this.listeners.has(channel)) throw new Error(`${channel} already has a listener`);
    this.listeners.set(channel, listener);
    await this.subscribe([channel]);
  }

  /**
   * Subscribes a channel until the process ends. Does nothing if it has a listener already, so that it can be called
   * before each use.
   */
  follow(channel: string, { onMessage, onSubscribed }: ChannelFollower): void {
    if (this.listeners.has(channel)) return;
    this.open(channel, { onMessage, onResumed: onSubscribed }).then(onSubscribed, (error: unknown) =>
      this.logger.warn({ err: error, channel }, 'subscription failed, because the connection is closed permanently'),
    );
  }

  /** Idempotent. */
  close(channel: string): void {
    if (!this.listeners.delete(channel)) return;
    // Fails only if the connection is closed permanently, which ends the subscription as well.
    this.connection.unsubscribe(channel).catch(() => undefined);
  }

  /** Ends the pings, before the connection is closed permanently. */
  stop(): void {
    clearInterval(this.timer);
  }

  private ping(): void {
    // A failed ping closes the connection, which is restored.
    if (this.connection.status === 'ready') this.connection.ping().catch(() => undefined);
  }

  private async resume(): Promise<void> {
    const resumed = [...this.listeners];
    try {
      await this.subscribe(resumed.map(([channel]) => channel));
    } catch {
      // The connection is closed permanently.
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
        this.logger.warn({ reason, channels: open.length }, 'subscription failed, retrying');
      }
      await sleep(RETRY_MS, undefined, { ref: false });
    }
  }
}
