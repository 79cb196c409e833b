import { RedisConnections } from '@app/connections';
import { Clock, type Caller } from '@app/kernel';
import { createLogger } from '@app/observability';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { ApiKeyRepository } from './api-key.repository.js';

/** Below the second within which a revocation must hold everywhere, even when no broadcast arrives. */
const TTL_MS = 900;
const MAX_KEYS = 10_000;
const REVOKED_CHANNEL = 'identity:key-revoked';

interface Known {
  readonly caller: Caller | undefined;
}

/**
 * Who stands behind a key's hash, remembered for less than a second (unknown ones as well), so that a busy key costs
 * one query a second per process. Revocations are broadcast; the short life is the guarantee, the broadcast the hurry.
 */
@Injectable()
export class KeyCache implements OnModuleInit {
  private readonly logger = createLogger('identity');
  private readonly known: LRUCache<string, Known>;
  private readonly dropListeners: ((hash: string) => void)[] = [];

  constructor(
    private readonly keys: ApiKeyRepository,
    private readonly redis: RedisConnections,
    private readonly clock: Clock,
  ) {
    this.known = new LRUCache<string, Known>({
      max: MAX_KEYS,
      ttl: TTL_MS,
      // A revocation may drop a key that is being looked up: the look-up goes on and is simply not kept.
      ignoreFetchAbort: true,
      fetchMethod: async (hash) => ({ caller: await this.keys.findCaller(hash) }),
    });
  }

  onModuleInit(): void {
    const listener = { onMessage: (hash: Buffer) => this.forget(hash.toString()) };
    this.redis.subscriptions.open(REVOKED_CHANNEL, listener).catch((error: unknown) => this.logTrouble(error));
  }

  async find(hash: string): Promise<Caller | undefined> {
    const caller = (await this.known.fetch(hash))?.caller;
    const expired = caller?.expiresAt != null && caller.expiresAt.getTime() <= this.clock.millis();
    return expired ? undefined : caller;
  }

  /** Calls back with the hash of each key that is revoked, here or elsewhere, as soon as that is heard. */
  onDropped(listener: (hash: string) => void): void {
    this.dropListeners.push(listener);
  }

  drop(hash: string): void {
    this.forget(hash);
    this.redis.commands.publish(REVOKED_CHANNEL, hash).catch((error: unknown) => this.logTrouble(error));
  }

  private forget(hash: string): void {
    this.known.delete(hash);
    for (const listener of this.dropListeners) listener(hash);
  }

  private logTrouble(error: unknown): void {
    this.logger.warn({ reason: (error as Error).message }, 'revocations are not broadcast; they hold after a second');
  }
}
