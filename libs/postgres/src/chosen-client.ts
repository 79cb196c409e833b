import type { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import type { DatabaseHost } from '@app/config';
import { Client, type ClientConfig } from 'pg';
import { explainConnectionFailure } from './connection-failure.js';
import type { ServerAddress } from './server-address.js';
import { ServerChoice } from './server-choice.js';
import { IS_READ_ONLY } from './server.sql.js';

/** Time limit of a connection that finds out whether a host can be used. */
const PROBE_TIMEOUT_MS = 2000;
/** SQLSTATE of a write on a server that accepts none. */
const READ_ONLY = '25006';
/** SQLSTATE: it is unknown whether the transaction will survive. */
const UNKNOWN_RESULT = '08007';
/** The function of PostgreSQL that warns of a commit that is acknowledged although no standby has it. */
const REPLICATION_WAIT = 'SyncRepWaitForLSN';
/** SQLSTATE: the server does not accept connections yet, or any more. */
const NOT_READY = '57P03';

export interface ChosenClientConfig extends ClientConfig {
  /** Chooses the host. Without it, the client connects to that of its configuration. */
  readonly servers?: ServerChoice;
  /** Time limit of a request to cancel a statement. Default: a second. */
  readonly cancelTimeoutMs?: number;
}

/** Parts of the driver's client that its types do not declare. */
interface Internals {
  host: string;
  port: number;
  readonly connection: EventEmitter & { readonly stream: Socket };
}

/**
 * A connection to the server that a `ServerChoice` chooses.
 *
 * With synchronous replication, a commit waits until a standby has it. A cancellation ends the wait, and the server then
 * acknowledges the commit, with a warning: a fail-over would lose it. Such a connection is closed, so that the commit
 * fails with an unknown result instead.
 */
export class ChosenClient extends Client {
  readonly cancelTimeoutMs: number | undefined;
  private readonly servers: ServerChoice | undefined;
  private server: DatabaseHost | undefined;
  private refusedWrite = false;

  constructor(config?: string | ChosenClientConfig) {
    super(config);
    const options = typeof config === 'string' ? undefined : config;
    this.servers = options?.servers;
    this.cancelTimeoutMs = options?.cancelTimeoutMs;
    const { connection } = this.internals;
    connection.on('errorMessage', ({ code }: { readonly code?: string }) => {
      if (code === READ_ONLY) this.refuseWrites();
    });
    connection.on('notice', ({ routine }: { readonly routine?: string }) => {
      if (routine !== REPLICATION_WAIT) return;
      // The acknowledgement may follow in the same packet, so closing the socket would be too late.
      connection.emit('error', unknownResult());
      connection.stream.destroy();
    });
  }

  /** Whether the server refused a write, or another host has been chosen: the connection should not be used again. */
  get isOutdated(): boolean {
    return this.refusedWrite || (this.servers?.isReplaced(this.server) ?? false);
  }

  override connect(): Promise<Client>;
  override connect(callback: (error: Error) => void): void;
  override connect(callback?: (error: Error) => void): Promise<Client> | void {
    const connected = this.servers === undefined ? super.connect() : this.connectTo(this.servers);
    if (callback === undefined) return connected.then(() => this);
    // In a later tick, so that an error that the callback throws is not a rejection.
    void connected.then(
      () => process.nextTick(callback, null),
      (error: unknown) => process.nextTick(callback, error),
    );
  }

  private async connectTo(servers: ServerChoice): Promise<void> {
    const { address } = servers;
    const server = await servers.choose();
    this.server = server;
    if (server !== undefined) Object.assign(this.internals, server);
    const { host, port } = this.internals;
    try {
      await super.connect();
    } catch (error) {
      if (isUnreachable(error)) servers.doubt(server);
      throw explainConnectionFailure(error as Error, address, { host, port });
    }
    if (address.writable && (await this.isReadOnly())) {
      this.refuseWrites();
      await this.end();
      throw readOnlyError(address, { host, port });
    }
  }

  private async isReadOnly(): Promise<boolean> {
    return (await this.query<{ read_only: boolean }>(IS_READ_ONLY)).rows[0]?.read_only ?? true;
  }

  private refuseWrites(): void {
    this.refusedWrite = true;
    this.servers?.doubt(this.server);
  }

  private get internals(): Internals {
    return this as unknown as Internals;
  }
}

/** Returns the choice among the hosts of an address. `onChange` is called with each host that is chosen. */
export function choiceOf(address: ServerAddress, onChange?: (host: DatabaseHost) => void): ServerChoice {
  return new ServerChoice(address, (host) => probe(address, host), onChange);
}

/** Opens a single connection. Rejects with an error that names the setting if a setting prevents it. */
export async function openClient(address: ServerAddress, config: ClientConfig = {}): Promise<ChosenClient> {
  const client = new ChosenClient({ ...config, ...configOf(address), servers: choiceOf(address) });
  client.on('error', () => undefined);
  await client.connect();
  return client;
}

/** Returns the configuration with which the driver connects to an address. */
export function configOf({ url, tls }: ServerAddress): ClientConfig {
  return { connectionString: url, ...(tls === undefined ? {} : { ssl: tls }) };
}

async function probe(address: ServerAddress, host: DatabaseHost): Promise<void> {
  const one: ServerAddress = { ...address, hosts: [host] };
  const client = new ChosenClient({
    ...configOf(one),
    connectionTimeoutMillis: PROBE_TIMEOUT_MS,
    query_timeout: PROBE_TIMEOUT_MS,
    servers: new ServerChoice(one, () => Promise.resolve()),
  });
  client.on('error', () => undefined);
  Object.assign(client, host);
  try {
    await client.connect();
  } finally {
    void client.end().catch(() => undefined);
  }
}

function readOnlyError({ setting }: ServerAddress, { host, port }: DatabaseHost): Error {
  const message = `${setting}: ${host}:${port} accepts no writes: it is a standby or was set to read-only`;
  return Object.assign(new Error(message), { code: READ_ONLY });
}

function unknownResult(): Error {
  const message = 'The wait for the synchronous standby was cancelled: the commit may be lost in a fail-over';
  return Object.assign(new Error(message), { code: UNKNOWN_RESULT });
}

/** Returns whether the server is not there, unlike one that rejects the client or has too many. */
function isUnreachable(error: unknown): boolean {
  const { code = '' } = error as { readonly code?: string };
  return code === NOT_READY || !/^[0-9A-Z]{5}$/.test(code) || code === 'EPIPE';
}
