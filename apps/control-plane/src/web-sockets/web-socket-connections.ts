import { WebSocketConfig } from '@app/config';
import { HttpProblem, type AcceptedWebSocket, type ConnectionClass, type WebSocketRequest } from '@app/http';
import type { Scope } from '@app/kernel';
import { MetricSource, type Gauge, type Reading } from '@app/metrics';
import { Injectable } from '@nestjs/common';

const CONNECTIONS = 'platform_websockets';

export interface ConnectionStats {
  readonly connections: number;
  readonly max_connections: number;
  readonly queued_bytes: number;
}

/** The WebSockets of this process, by organization. */
@Injectable()
export class WebSocketConnections extends MetricSource {
  override readonly gauges: readonly Gauge[] = [{ name: CONNECTIONS, help: 'WebSockets of this process' }];
  private readonly byOrganization = new Map<string, Set<AcceptedWebSocket>>();

  constructor(private readonly config: WebSocketConfig) {
    super();
  }

  /** Opens a WebSocket. Throws `connections_too_many` if the organization may open no further one; nothing is sent then. */
  open<T extends AcceptedWebSocket>(
    { organizationId }: Scope,
    request: WebSocketRequest,
    Kind: ConnectionClass<T>,
    keyEnd: AbortSignal,
  ): T {
    request.check();
    const open = this.byOrganization.get(organizationId) ?? new Set();
    if (open.size >= this.config.maxConnections) {
      throw new HttpProblem('connections_too_many', 'The organization has the maximum number of WebSockets');
    }
    const connection = request.accept(Kind, keyEnd);
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
