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
/** Time limit of the question whether the server of a new connection accepts writes. */
const CHECK_TIMEOUT_MS = 5000;
/** SQLSTATE of a write on a server that accepts none. */
const READ_ONLY = '25006';
/** SQLSTATE: it is unknown whether the transaction will survive. */
const UNKNOWN_RESULT = '08007';
/** The function of PostgreSQL that warns of a commit that is acknowledged although no standby has it. */
const REPLICATION_WAIT = 'SyncRepWaitForLSN';
/**
 * SQLSTATE of servers that reject the client, its password or its database (classes 28 and 3D), or have too many
 * connections: another host would not be better.
 */
const REJECTED = /^(28...|3D...|53300)$/;

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
  readonly connectionParameters: { readonly query_timeout: number | false };
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

  /** The server does not accept writes: the connection is not used again, and the next one is preceded by a search. */
  refuseWrites(): void {
    this.refusedWrite = true;
    this.servers?.doubt(this.server);
  }

  /** Closes the connection without waiting for the server, which may not respond. */
  discard(): void {
    this.end().catch(() => undefined);
    this.internals.connection.stream.destroy();
  }

  private async connectTo(servers: ServerChoice): Promise<void> {
    const { address } = servers;
    const server = await servers.choose();
    this.server = server;
    if (server !== undefined) Object.assign(this.internals, server);
    const { host, port } = this.internals;
    let isReadOnly: boolean;
    try {
      await super.connect();
      isReadOnly = address.writable && (await this.isReadOnly());
    } catch (error) {
      if (isUnusable(error)) servers.doubt(server);
      this.discard();
      throw explainConnectionFailure(error as Error, address, { host, port });
    }
    if (!isReadOnly) return;
    this.refuseWrites();
    this.discard();
    throw readOnlyError(address, { host, port });
  }

  /** A pooler accepts the client also while its server does not respond. */
  private async isReadOnly(): Promise<boolean> {
    const { query_timeout: limit } = this.internals.connectionParameters;
    const query = { text: IS_READ_ONLY, query_timeout: limit || CHECK_TIMEOUT_MS };
    return (await this.query<{ read_only: boolean }>(query)).rows[0]?.read_only ?? true;
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

/** Returns whether another host may be better, also if a pooler responds whose server is lost. */
function isUnusable(error: unknown): boolean {
  const { code = '' } = error as { readonly code?: string };
  return !REJECTED.test(code);
}
