import { createLogger } from '@app/observability';
import { Client, type ClientConfig } from 'pg';

/**
 * A connection whose loss never ends the process. The pool and TypeORM listen for errors while a client is idle or
 * lent out, but not in the instant between: a server that goes there (its last words may come in one packet with the
 * answer before) would be an `error` event that nobody hears. The client is unusable then, its next query says so, and
 * the pool replaces it.
 */
export class ResilientClient extends Client {
  constructor(config?: string | ClientConfig) {
    super(config);
    this.on('error', (error) => {
      createLogger('database').warn({ err: error }, 'a connection to PostgreSQL was lost');
    });
  }
}
