import type { AddressInfo } from 'node:net';
import type { Server } from 'node:http';
import { ControlPlaneConfig, reachableUrl, WebSocketConfig } from '@app/config';
import { Injectable } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';

/** The URL at which clients reach this control plane: PUBLIC_URL, or else the listening address. */
@Injectable()
export class PublicAddress {
  constructor(
    private readonly config: ControlPlaneConfig,
    private readonly adapterHost: HttpAdapterHost,
    private readonly webSockets: WebSocketConfig,
  ) {}

  /** Without a trailing slash. */
  get url(): string {
    return this.config.publicUrl ?? this.localUrl;
  }

  /** The URL at which this process reaches itself. */
  get localUrl(): string {
    const { host, port } = this.config;
    return reachableUrl(host, this.listeningPort() ?? port);
  }

  /** The URL of the WebSockets, without a trailing slash; null if none are accepted. */
  get webSocketUrl(): string | null {
    return this.webSockets.maxConnections === 0 ? null : `${this.url.replace(/^http/, 'ws')}/api/v1/ws`;
  }

  /** The actual port if port 0 is configured; undefined before the server listens. */
  private listeningPort(): number | undefined {
    const server = this.adapterHost.httpAdapter.getHttpServer() as Server | undefined;
    return (server?.address() as AddressInfo | null | undefined)?.port;
  }
}
