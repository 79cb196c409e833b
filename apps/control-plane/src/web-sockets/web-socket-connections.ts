import { WebSocketConfig } from '@app/config';
import { HttpProblem } from '@app/http';
import type { Scope } from '@app/kernel';
import { MetricSource, type Gauge, type Reading } from '@app/metrics';
import { Injectable } from '@nestjs/common';

const CONNECTIONS = 'platform_websockets';

/** A WebSocket of a client. */
export interface Connection {
  readonly queuedBytes: number;
  onClose(listener: () => void): void;
}

export interface ConnectionStats {
  readonly connections: number;
  readonly max_connections: number;
  readonly queued_bytes: number;
}

/** The WebSockets of this process, by organization. */
@Injectable()
export class WebSocketConnections extends MetricSource {
  override readonly gauges: readonly Gauge[] = [{ name: CONNECTIONS, help: 'WebSockets of this process' }];
  private readonly byOrganization = new Map<string, Set<Connection>>();

  constructor(private readonly config: WebSocketConfig) {
    super();
  }

  /** Throws `connections_too_many` if the organization may open no further one. */
  checkRoom({ organizationId }: Scope): void {
    const open = this.byOrganization.get(organizationId)?.size ?? 0;
    if (open >= this.config.maxConnections) {
      throw new HttpProblem('connections_too_many', 'The organization has the maximum number of WebSockets');
    }
  }

  add<T extends Connection>({ organizationId }: Scope, connection: T): T {
    const open = this.byOrganization.get(organizationId) ?? new Set();
    this.byOrganization.set(organizationId, open.add(connection));
    connection.onClose(() => {
      open.delete(connection);
      if (open.size === 0 && this.byOrganization.get(organizationId) === open)
        this.byOrganization.delete(organizationId);
    });
    return connection;
  }

  statsOf({ organizationId }: Scope): ConnectionStats {
    const open = [...(this.byOrganization.get(organizationId) ?? [])];
    const queued_bytes = open.reduce((sum, { queuedBytes }) => sum + queuedBytes, 0);
    return { connections: open.length, max_connections: this.config.maxConnections, queued_bytes };
  }

  override read(): Promise<readonly Reading[]> {
    const value = [...this.byOrganization.values()].reduce((sum, { size }) => sum + size, 0);
    return Promise.resolve([{ name: CONNECTIONS, value }]);
  }
}
