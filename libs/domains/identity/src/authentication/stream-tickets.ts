import { createHash, randomBytes } from 'node:crypto';
import { RedisConnections } from '@app/redis';
import { Clock, LookupLimiter, type Caller, type Origin } from '@app/kernel';
import { Injectable } from '@nestjs/common';
import { ApiKeyRepository } from '../keys/api-key.repository.js';
import { ticketInvalid } from '../identity.errors.js';
import { KeyCache } from './key-cache.js';
import { KeyWatch } from './key-watch.js';

const LIFETIME_SECONDS = 3600;
const TICKET_BYTES = 32;

/** A credential for one event stream. Only `mint` returns it; its SHA-256 is stored. */
export interface StreamTicket {
  readonly ticket: string;
  readonly expires_at: Date;
}

/** The caller that a ticket represents. */
export interface TicketHolder {
  readonly caller: Caller;
  /**
   * Calls `onEnd` once when the key that minted the ticket is revoked or expires or its user is suspended. Returns a
   * function that stops watching.
   */
  readonly whenEnded: (onEnd: () => void) => () => void;
}

/** The stored data of a ticket. */
interface StoredTicket {
  readonly organization_id: string;
  readonly key_id: string;
  readonly execution_id: string;
}

/**
 * Tickets with which an `EventSource`, which cannot send headers, opens the stream of one execution, any number of
 * times within an hour. A ticket has the rights that its key has when the stream is opened, and becomes invalid with
 * the key. Tickets are stored only in Redis; if Redis loses its data, clients request new ones.
 */
@Injectable()
export class StreamTickets {
  private readonly limiter: LookupLimiter;

  constructor(
    private readonly redis: RedisConnections,
    private readonly keys: ApiKeyRepository,
    private readonly cache: KeyCache,
    private readonly watch: KeyWatch,
    private readonly clock: Clock,
  ) {
    this.limiter = new LookupLimiter(clock);
  }

  async mint(caller: Caller, executionId: string): Promise<StreamTicket> {
    const ticket = randomBytes(TICKET_BYTES).toString('base64url');
    const stored: StoredTicket = {
      organization_id: caller.organizationId,
      key_id: caller.keyId,
      execution_id: executionId,
    };
    await this.redis.commands.set(storeKeyOf(ticket), JSON.stringify(stored), 'EX', LIFETIME_SECONDS);
    return { ticket, expires_at: new Date(this.clock.millis() + LIFETIME_SECONDS * 1000) };
  }

  /**
   * Throws `ticket_invalid` for a ticket that is unknown, expired or of another execution, or whose key no longer
   * works; `throttled` if the origin has sent too many such tickets.
   */
  async authenticate(ticket: string, executionId: string, origin: Origin): Promise<TicketHolder> {
    const storeKey = storeKeyOf(ticket);
    const holder = await this.limiter.find(storeKey, origin, () => this.findHolder(storeKey, executionId));
    if (holder === undefined) throw ticketInvalid();
    return holder;
  }

  private async findHolder(storeKey: string, executionId: string): Promise<TicketHolder | undefined> {
    const text = await this.redis.commands.get(storeKey);
    if (text === null) return undefined;
    const stored = JSON.parse(text) as StoredTicket;
    if (stored.execution_id !== executionId) return undefined;
    const hash = await this.keys.findHash({ organizationId: stored.organization_id }, stored.key_id);
    const caller = hash === undefined ? undefined : await this.cache.find(hash);
    if (hash === undefined || caller === undefined) return undefined;
    return { caller, whenEnded: (onEnd) => this.watch.watch(hash, onEnd) };
  }
}

function storeKeyOf(ticket: string): string {
  return `identity:stream-ticket:${createHash('sha256').update(ticket).digest('hex')}`;
}
