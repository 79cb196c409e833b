import { Injectable, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { KeyCache } from './key-cache.js';

/** Without a broadcast, the end of a key is noticed after at most this interval plus the cache lifetime. */
const CHECK_INTERVAL_MS = 200;

/**
 * Notifies long requests (streams, polls) when their key is revoked or expires or its user is suspended. All requests
 * of one key share one look-up. The timer starts with the module. If `watch` started it, its look-ups would run in the
 * asynchronous context and the transaction of the first watching request, long after both have ended.
 */
@Injectable()
export class KeyWatch implements OnModuleInit, OnApplicationShutdown {
  private readonly watched = new Map<string, Set<() => void>>();
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly cache: KeyCache) {
    cache.onChanged((hash) => void this.check(hash));
  }

  onModuleInit(): void {
    this.timer = setInterval(() => this.checkAll(), CHECK_INTERVAL_MS).unref();
  }

  /** Calls `onEnd` once when the key with this hash becomes invalid. Returns a function that stops watching. */
  watch(hash: string, onEnd: () => void): () => void {
    const listeners = this.watched.get(hash) ?? new Set();
    listeners.add(onEnd);
    this.watched.set(hash, listeners);
    return () => {
      listeners.delete(onEnd);
      if (listeners.size === 0 && this.watched.get(hash) === listeners) this.watched.delete(hash);
    };
  }

  onApplicationShutdown(): void {
    clearInterval(this.timer);
  }

  private checkAll(): void {
    for (const hash of this.watched.keys()) void this.check(hash);
  }

  /** If the store is unreachable, requests continue, because the state of the key is unknown. */
  private async check(hash: string): Promise<void> {
    const listeners = this.watched.get(hash);
    if (listeners === undefined) return;
    const isValid = await this.cache.find(hash).then(
      (caller) => caller !== undefined,
      () => true,
    );
    // Another check of this key may have notified the listeners in the meantime.
    if (isValid || this.watched.get(hash) !== listeners) return;
    this.watched.delete(hash);
    for (const onEnd of [...listeners]) onEnd();
  }
}
