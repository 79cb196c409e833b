import type { DatabaseHost } from '@app/config';
import type { ServerAddress } from './server-address.js';

/** How long a host that is earlier in the URL may take longer than one that can be used. */
const PATIENCE_MS = 1000;
/** How often a host that is earlier in the URL is tried again, if the URL accepts all servers that respond. */
const RECHECK_MS = 30_000;
/** SQLSTATE: a host of the URL cannot be used as the URL requires. */
const NO_HOST = '08001';

/** Connects to a host; rejects if it cannot be used. */
type Probe = (host: DatabaseHost) => Promise<void>;

/**
 * Chooses the host of new connections. The first host of the URL that can be used is chosen, and remains chosen until it
 * cannot be used any more. If the URL accepts all servers that respond, an earlier one that can be used again replaces
 * it; if only one that accepts writes, it is kept: an earlier one that does too is a former primary.
 */
export class ServerChoice {
  private chosen: DatabaseHost | undefined;
  private isDoubted = true;
  private foundAt = 0;
  private search: Promise<DatabaseHost> | undefined;

  constructor(
    readonly address: ServerAddress,
    private readonly probe: Probe,
    private readonly onChange: (host: DatabaseHost) => void = () => undefined,
  ) {}

  /** Whether the URL lists several hosts. */
  get isMultiple(): boolean {
    return this.address.hosts.length > 1;
  }

  /** Returns the host of a new connection; undefined if the URL names one only. Rejects if none can be used. */
  async choose(): Promise<DatabaseHost | undefined> {
    if (!this.isMultiple) return undefined;
    if (!this.isDoubted && this.chosen !== undefined && !this.mayPreferEarlier) return this.chosen;
    this.search ??= this.find().finally(() => (this.search = undefined));
    return this.search;
  }

  /** Whether another host has been chosen since a connection to this one was opened. */
  isReplaced(host: DatabaseHost | undefined): boolean {
    return host !== undefined && this.chosen !== host;
  }

  /** A connection to the host could not be opened, or it accepts no writes: the next connection is preceded by a search. */
  doubt(host: DatabaseHost | undefined): void {
    if (host === this.chosen) this.isDoubted = true;
  }

  /** Of the servers that accept writes there is only one, so no other one can be preferred. */
  private get mayPreferEarlier(): boolean {
    const { hosts, writable } = this.address;
    return !writable && this.chosen !== hosts[0] && performance.now() - this.foundAt > RECHECK_MS;
  }

  private async find(): Promise<DatabaseHost> {
    const { hosts, setting } = this.address;
    const probes = hosts.map((host) => this.probe(host));
    const found = (await this.current(probes)) ?? (await firstInOrder(probes, PATIENCE_MS));
    const host = 'index' in found ? hosts[found.index] : undefined;
    if (host === undefined || !('index' in found)) {
      const reasons = hosts.map((one, index) => `${one.host}:${one.port}: ${reasonOf(found, index)}`);
      throw Object.assign(new Error(`${setting}: no server can be used (${reasons.join('; ')})`), { code: NO_HOST });
    }
    const isNew = host !== this.chosen;
    this.chosen = host;
    this.isDoubted = false;
    this.foundAt = performance.now();
    if (isNew) this.onChange(host);
    return host;
  }

  /** Returns the index of the chosen host if it is to be kept. */
  private async current(probes: readonly Promise<void>[]): Promise<{ readonly index: number } | undefined> {
    const { hosts, writable } = this.address;
    const index = hosts.findIndex((host) => host === this.chosen);
    if (!writable || index === -1) return undefined;
    // Their errors are read only if the chosen host fails.
    for (const probe of probes) probe.catch(() => undefined);
    const [result] = await Promise.allSettled([probes[index]]);
    return result?.status === 'fulfilled' ? { index } : undefined;
  }
}

type Found = { readonly index: number } | { readonly errors: readonly unknown[] };

function reasonOf(found: Found, index: number): string {
  const error = 'errors' in found ? found.errors[index] : undefined;
  return error instanceof Error ? error.message || String((error as { code?: unknown }).code) : 'it did not answer';
}

/**
 * Resolves with the index of the first promise, in their order, that is fulfilled; `patienceMs` after the first one is
 * fulfilled, those that are still pending count as rejected. Resolves with the errors if all are rejected.
 */
async function firstInOrder(attempts: readonly Promise<void>[], patienceMs: number): Promise<Found> {
  const results = attempts.map(() => undefined as 'fulfilled' | { error: unknown } | undefined);
  return new Promise((resolve) => {
    let timer: NodeJS.Timeout | undefined;
    const decide = (isLast: boolean): void => {
      const open = results.findIndex((result) => result === undefined);
      const index = results.findIndex((result) => result === 'fulfilled');
      if (index !== -1 && (isLast || open === -1 || index < open)) {
        clearTimeout(timer);
        resolve({ index });
      } else if (index !== -1) timer ??= setTimeout(() => decide(true), patienceMs);
      else if (open === -1) resolve({ errors: results.map((result) => (result as { error: unknown }).error) });
    };
    for (const [index, attempt] of attempts.entries()) {
      attempt.then(
        () => ((results[index] = 'fulfilled'), decide(false)),
        (error: unknown) => ((results[index] = { error }), decide(false)),
      );
    }
  });
}
