import { jetstreamManager, StorageType } from '@nats-io/jetstream';
import { connect, nanos, type ConnectionOptions, type NatsConnection } from '@nats-io/transport-node';
import { NatsConfig, parseNatsUrl } from '@app/config';
import { createLogger } from '@app/observability';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { JetStreamPublisher } from './jet-stream-publisher.js';

export const STREAM = 'EVENTS';
const SUBJECTS = 'events.>';

const CONNECT_LIMIT_MS = 2000;
const REQUEST_LIMIT_MS = 5000;
/** The connection counts as lost if the server does not respond to pings for two of these intervals. */
const PING_INTERVAL_MS = 5000;
const RECONNECT_WAIT_MS = 1000;
/** An event can be delivered again only within the hour for which its log is kept. */
const DEDUPLICATION_MS = 3_600_000;
const RETENTION_MS = 24 * 3_600_000;

/** The connection of this process to NATS. It is opened when it is first used, and again after it was lost. */
@Injectable()
export class NatsLink implements OnApplicationShutdown {
  private readonly logger = createLogger('nats');
  private connection: NatsConnection | undefined;
  /** Of the current connection. */
  private events: JetStreamPublisher | undefined;
  private opening: Promise<NatsConnection> | undefined;
  private stream: Promise<void> | undefined;
  private isUp = false;

  constructor(private readonly config: NatsConfig) {}

  get isConfigured(): boolean {
    return this.config.url !== null;
  }

  /** Maximum size of a message with its headers that the server accepts, in bytes. */
  get maxPayload(): number {
    return this.connection?.info?.max_payload ?? 0;
  }

  /** Makes a round trip to the server. Rejects if it does not respond. */
  async ping(): Promise<void> {
    const connection = await this.open();
    await connection.rtt();
    await this.ensureStream(connection);
  }

  /** Returns the publisher after the stream was created if necessary. Rejects at once while the connection is lost. */
  async publisher(): Promise<JetStreamPublisher> {
    const connection = await this.open();
    if (!this.isUp) throw connectionLost();
    await this.ensureStream(connection);
    return (this.events ??= new JetStreamPublisher(connection, REQUEST_LIMIT_MS));
  }

  /** Makes the next `publisher()` or `ping()` check the stream again, because an operator may have deleted it. */
  recheckStream(): void {
    this.stream = undefined;
  }

  async onApplicationShutdown(): Promise<void> {
    await this.opening?.catch(() => undefined);
    await this.connection?.close();
  }

  private async open(): Promise<NatsConnection> {
    if (this.connection?.isClosed() === false) return this.connection;
    this.opening ??= this.connect().finally(() => (this.opening = undefined));
    return this.opening;
  }

  private async connect(): Promise<NatsConnection> {
    const connection = await connect(optionsOf(this.config.url ?? ''));
    this.connection = connection;
    this.events = undefined;
    this.isUp = true;
    this.recheckStream();
    void this.watch(connection);
    return connection;
  }

  private async watch(connection: NatsConnection): Promise<void> {
    for await (const { type } of connection.status()) {
      if (type === 'disconnect') {
        this.isUp = false;
        this.events?.fail(connectionLost());
      }
      if (type === 'reconnect') {
        this.isUp = true;
        this.recheckStream();
      }
      if (type === 'disconnect' || type === 'reconnect')
        this.logger.warn({ status: type }, 'connection to NATS changed');
    }
  }

  private async ensureStream(connection: NatsConnection): Promise<void> {
    const ensured = (this.stream ??= this.createStream(connection));
    await ensured.catch((error: unknown) => {
      if (this.stream === ensured) this.recheckStream();
      throw error;
    });
  }

  /** An existing stream keeps its settings, because the operator may have changed them. */
  private async createStream(connection: NatsConnection): Promise<void> {
    const manager = await jetstreamManager(connection, { timeout: REQUEST_LIMIT_MS });
    try {
      await manager.streams.info(STREAM);
    } catch (error) {
      // In a cluster without a leader, the stream is not found out about, which does not mean that there is none. The class
      // of the error is no export that Node finds.
      if (!(error instanceof Error) || error.name !== 'StreamNotFoundError') throw error;
      await manager.streams.add({
        name: STREAM,
        subjects: [SUBJECTS],
        storage: StorageType.File,
        num_replicas: this.config.streamReplicas,
        max_age: nanos(RETENTION_MS),
        duplicate_window: nanos(DEDUPLICATION_MS),
      });
    }
  }
}

function connectionLost(): Error {
  return new Error('The connection to NATS is lost');
}

/** Passes the credentials separately, because the client library ignores those in an address. */
function optionsOf(address: string): ConnectionOptions {
  const { servers, username: user, password: pass, tls } = parseNatsUrl(address);
  const credentials = user === undefined ? {} : pass === undefined ? { token: user } : { user, pass };
  return {
    servers: [...servers],
    ...credentials,
    ...(tls ? { tls: {} } : {}),
    name: 'agent-orchestration-platform',
    timeout: CONNECT_LIMIT_MS,
    reconnect: true,
    maxReconnectAttempts: -1,
    reconnectTimeWait: RECONNECT_WAIT_MS,
    pingInterval: PING_INTERVAL_MS,
    maxPingOut: 2,
    // Otherwise the library creates two errors per event, only to have stack traces if a request fails.
    noAsyncTraces: true,
  };
}
