import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { KeyCache } from './key-cache.js';

/** Together with the life of what the cache remembers this is how late an end may be noticed without a broadcast. */
const LOOK_MS = 200;

/**
 * Tells who keeps a request open for long (a stream, a poll) that its key has ended: revoked, or expired. However many
 * requests one key has open, it is looked up once.
 */
@Injectable()
export class KeyWatch implements OnApplicationShutdown {
  private readonly watched = new Map<string, Set<() => void>>();
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly cache: KeyCache) {
    cache.onDropped((hash) => void this.look(hash));
  }

  /** Calls back once, when the key of this hash opens nothing any more. Answers how to stop watching. */
  watch(hash: string, onEnd: () => void): () => void {
    const listeners = this.watched.get(hash) ?? new Set();
    listeners.add(onEnd);
    this.watched.set(hash, listeners);
    this.timer ??= setInterval(() => this.lookAtAll(), LOOK_MS).unref();
    return () => {
      listeners.delete(onEnd);
      if (listeners.size === 0 && this.watched.get(hash) === listeners) this.forget(hash);
    };
  }

  onApplicationShutdown(): void {
    clearInterval(this.timer);
  }

  private lookAtAll(): void {
    for (const hash of this.watched.keys()) void this.look(hash);
  }

  /** A store that is away ends nobody's request: nothing is known of the key then. */
  private async look(hash: string): Promise<void> {
    const listeners = this.watched.get(hash);
    if (listeners === undefined) return;
    const holds = await this.cache.find(hash).then(
      (caller) => caller !== undefined,
      () => true,
    );
    if (holds) return;
    this.forget(hash);
    for (const onEnd of [...listeners]) onEnd();
  }

  private forget(hash: string): void {
    this.watched.delete(hash);
    if (this.watched.size > 0) return;
    clearInterval(this.timer);
    this.timer = undefined;
  }
}
