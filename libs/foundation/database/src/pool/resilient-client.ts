import type { Socket } from 'node:net';
import { parseExactJson } from '@app/kernel';
import { createLogger } from '@app/observability';
import { ChosenClient, requestCancel, type ChosenClientConfig } from '@app/postgres';
import { types } from 'pg';

export interface ResilientClientConfig extends ChosenClientConfig {
  /** Maximum time without any byte of the response to a query, in milliseconds. 0 or absent: no limit. */
  readonly responseTimeoutMs?: number;
  /**
   * Time without any byte of the response after which the query is cancelled, in milliseconds; less than
   * `responseTimeoutMs`. Absent: the server limits the time itself.
   */
  readonly cancelAfterMs?: number;
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
export class ResilientClient extends ChosenClient {
  private readonly responseTimeoutMs: number;
  private readonly cancelAfterMs: number | undefined;
  private loss: Error | undefined;
  private wasCancelled = false;

  constructor(config?: string | ResilientClientConfig) {
    super(config);
    for (const type of [types.builtins.JSON, types.builtins.JSONB]) this.setTypeParser(type, parseExactJson);
    const options = typeof config === 'string' ? undefined : config;
    this.responseTimeoutMs = options?.responseTimeoutMs ?? 0;
    this.cancelAfterMs = options?.cancelAfterMs;
    this.on('error', (error) => {
      this.loss ??= error;
      createLogger('database').warn({ err: error }, 'connection to PostgreSQL lost');
    });
    // Not in the constructor, because TLS replaces the socket when it connects.
    this.once('connect', () => {
      this.limitResponses(this.firstLimitMs);
      this.socket.on('timeout', () => this.endUnanswered());
    });
  }

  /** Why the connection was lost; undefined while it is usable. */
  get lostBy(): Error | undefined {
    return this.loss;
  }

  /** After a request to cancel a statement, which may arrive late: it would cancel the next one. */
  override get isOutdated(): boolean {
    return this.wasCancelled || super.isOutdated;
  }

  /** Runs `work` without the time limit of responses. */
  async withoutResponseTimeout<T>(work: () => Promise<T>): Promise<T> {
    this.limitResponses(0);
    try {
      return await work();
    } finally {
      this.limitResponses(this.firstLimitMs);
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

  private get firstLimitMs(): number {
    return this.cancelAfterMs ?? this.responseTimeoutMs;
  }

  /** Cancels the query if that is to be tried first, and closes the connection if no byte arrives then. */
  private endUnanswered(): void {
    const { isPending, responseTimeoutMs, cancelAfterMs } = this;
    if (cancelAfterMs === undefined || !isPending) return this.closeIfUnanswered();
    const { bytesRead } = this.socket;
    const close = (): void => {
      if (this.socket.bytesRead === bytesRead) this.closeIfUnanswered();
    };
    setTimeout(close, responseTimeoutMs - cancelAfterMs).unref();
    this.wasCancelled = true;
    void requestCancel(this);
  }

  private get isPending(): boolean {
    return !(this as unknown as Internals).readyForQuery;
  }

  /** An idle connection of the pool receives no bytes either; it stays open. */
  private closeIfUnanswered(): void {
    if (!this.isPending) return;
    const error = new Error(`PostgreSQL did not respond within ${this.responseTimeoutMs} ms`);
    this.socket.destroy(Object.assign(error, { code: 'ETIMEDOUT' }));
  }

  private get socket(): Socket {
    return (this as unknown as Internals).connection.stream;
  }
}
