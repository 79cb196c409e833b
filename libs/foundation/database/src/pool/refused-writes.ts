import { createCounter } from '@app/metrics';
import type { DatabaseError, PoolClient } from 'pg';

/** The SQLSTATE codes with which a server that responds refuses to store anything. */
const REASONS: Readonly<Record<string, string>> = { '53100': 'disk_full', '25006': 'read_only' };

const refusals = createCounter(
  'platform_database_refused_writes_total',
  'Statements that failed because PostgreSQL has no disk space or is read-only',
  { reason: Object.values(REASONS) },
);

/** The part of the driver's client that its types do not declare: it emits every error of the server. */
interface Internals {
  readonly connection: {
    on(event: 'errorMessage', listener: (error: DatabaseError) => void): void;
  };
}

/** Remembers that the server refused a write, until a probe shows that it accepts writes again. */
export class RefusedWrites {
  private refused = false;

  /** Observes all statements of a connection. */
  watch(client: PoolClient): void {
    (client as unknown as Internals).connection.on('errorMessage', ({ code = '' }) => {
      const reason = REASONS[code];
      if (reason === undefined) return;
      refusals.inc({ reason });
      this.refused = true;
    });
  }

  get unresolved(): boolean {
    return this.refused;
  }

  resolve(): void {
    this.refused = false;
  }
}
