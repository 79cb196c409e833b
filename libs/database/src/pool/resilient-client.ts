import type { Socket } from 'node:net';
import { parseExactJson } from '@app/kernel';
import { createLogger } from '@app/observability';
import { Client, types, type ClientConfig } from 'pg';

export interface ResilientClientConfig extends ClientConfig {
  /** Maximum time without any byte of the response to a query, in milliseconds. 0 or absent: no limit. */
  readonly responseTimeoutMs?: number;
}

/** Parts of the driver's client that its types do not declare. */
interface Internals {
  readonly connection: { readonly stream: Socket };
  /** False while the response of a query is pending. */
  readonly readyForQuery: boolean;
}

/**
 * A connection whose loss never ends the process. The pool and TypeORM have `error` listeners while a client is idle or
 * in use, but not in the moment between these states. The loss of a connection in that moment (its last packet may
 * contain a result and the error) would emit an `error` event without a listener, which Node throws. The next query of
 * the lost client fails, and the pool replaces the client.
 *
 * A server that hangs or vanished sends no error. Its connections are closed after `responseTimeoutMs`, which fails
 * their queries; otherwise they would wait forever.
 *
 * Numbers in `json` columns are read as they are stored, see `parseExactJson`.
 */
export class ResilientClient extends Client {
  private readonly responseTimeoutMs: number;
  private loss: Error | undefined;

  constructor(config?: string | ResilientClientConfig) {
    super(config);
    for (const type of [types.builtins.JSON, types.builtins.JSONB]) this.setTypeParser(type, parseExactJson);
    this.responseTimeoutMs = (typeof config === 'string' ? undefined : config?.responseTimeoutMs) ?? 0;
    this.on('error', (error) => {
      this.loss ??= error;
      createLogger('database').warn({ err: error }, 'connection to PostgreSQL lost');
    });
    // Not in the constructor, because TLS replaces the socket when it connects.
    this.once('connect', () => {
      this.limitResponses(this.responseTimeoutMs);
      this.socket.on('timeout', () => this.closeIfUnanswered());
    });
  }

  /** Why the connection was lost; undefined while it is usable. */
  get lostBy(): Error | undefined {
    return this.loss;
  }

  /** Runs `work` without the time limit of responses. */
  async withoutResponseTimeout<T>(work: () => Promise<T>): Promise<T> {
    this.limitResponses(0);
    try {
      return await work();
    } finally {
      this.limitResponses(this.responseTimeoutMs);
    }
  }

  /** Sends all queries that `begin` starts with a single write to the socket. */
  inOneWrite(begin: () => void): void {
    this.socket.cork();
    try {
      begin();
    } finally {
      this.socket.uncork();
    }
  }

  /** The socket reports a timeout when no byte was sent or received for this time. */
  private limitResponses(milliseconds: number): void {
    this.socket.setTimeout(milliseconds);
  }

  /** An idle connection of the pool receives no bytes either; it stays open. */
  private closeIfUnanswered(): void {
    if ((this as unknown as Internals).readyForQuery) return;
    const error = new Error(`PostgreSQL did not respond within ${this.responseTimeoutMs} ms`);
    this.socket.destroy(Object.assign(error, { code: 'ETIMEDOUT' }));
  }

  private get socket(): Socket {
    return (this as unknown as Internals).connection.stream;
  }
}
