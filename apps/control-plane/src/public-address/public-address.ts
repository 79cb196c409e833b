import type { AddressInfo } from 'node:net';
import type { Server } from 'node:http';
import { ControlPlaneConfig, reachableUrl } from '@app/config';
import { Injectable } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';

/** The URL at which clients reach this control plane: PUBLIC_URL, or else the listening address. */
@Injectable()
export class PublicAddress {
  constructor(
    private readonly config: ControlPlaneConfig,
    private readonly adapterHost: HttpAdapterHost,
  ) {}

  /** Without a trailing slash. */
  get url(): string {
    const { publicUrl, host, port } = this.config;
    if (publicUrl !== null) return publicUrl;
    return reachableUrl(host, this.listeningPort() ?? port);
  }

  /** The actual port if port 0 is configured; undefined before the server listens. */
  private listeningPort(): number | undefined {
    const server = this.adapterHost.httpAdapter.getHttpServer() as Server | undefined;
    return (server?.address() as AddressInfo | null | undefined)?.port;
  }
}
