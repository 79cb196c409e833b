import { ModelGatewayConfig } from '@app/config';
import { Injectable } from '@nestjs/common';
import { PublicAddress } from '../public-address/public-address.js';

/** Where a worker finds what it needs beside its queue. */
@Injectable()
export class WorkerSurroundings {
  constructor(
    private readonly address: PublicAddress,
    private readonly gateway: ModelGatewayConfig,
  ) {}

  get controlPlaneUrl(): string {
    return this.address.url;
  }

  get gatewayUrl(): string | null {
    return this.gateway.url;
  }

  get gatewayApiKey(): string | null {
    return this.gateway.apiKey;
  }
}
