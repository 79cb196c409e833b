import type { AddressInfo } from 'node:net';
import type { Server } from 'node:http';
import { ControlPlaneConfig, reachableUrl } from '@app/config';
import { Injectable } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';

/** Under which address clients reach this control plane: PUBLIC_URL, or else where it listens. */
@Injectable()
export class PublicAddress {
  constructor(
    private readonly config: ControlPlaneConfig,
    private readonly adapterHost: HttpAdapterHost,
  ) {}

  /** Without a slash at its end. */
  get url(): string {
    const { publicUrl, host, port } = this.config;
    if (publicUrl !== null) return publicUrl;
    return reachableUrl(host, this.listeningPort() ?? port);
  }

  /** Differs from the configured port where that is 0. */
  private listeningPort(): number | undefined {
    const server = this.adapterHost.httpAdapter.getHttpServer() as Server | undefined;
    return (server?.address() as AddressInfo | null | undefined)?.port;
  }
}
