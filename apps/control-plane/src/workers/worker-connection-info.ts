import { ModelGatewayConfig } from '@app/config';
import { Injectable } from '@nestjs/common';
import { PublicAddress } from '../public-address/public-address.js';

/** The addresses and the gateway key that a worker receives when it registers. */
@Injectable()
export class WorkerConnectionInfo {
  constructor(
    private readonly address: PublicAddress,
    private readonly gateway: ModelGatewayConfig,
  ) {}

  get controlPlaneUrl(): string {
    return this.address.url;
  }

  /** Null if the process accepts no WebSockets. */
  webSocketUrlOf(workerId: string): string | null {
    const { webSocketUrl } = this.address;
    return webSocketUrl === null ? null : `${webSocketUrl}/workers/${workerId}`;
  }

  get gatewayUrl(): string | null {
    return this.gateway.url;
  }

  get gatewayApiKey(): string | null {
    return this.gateway.apiKey;
  }
}
