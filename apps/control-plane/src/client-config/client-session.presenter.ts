import { ControlPlaneConfig } from '@app/config';
import { OrganizationService } from '@app/identity';
import { Clock, type Caller } from '@app/kernel';
import { Injectable } from '@nestjs/common';
import { toClientSession } from './client-config.mapper.js';
import type { ClientSessionResponse } from './dto/client-config.response.dto.js';

/** Composes the description of a caller with its organization and the time of the platform. */
@Injectable()
export class ClientSessionPresenter {
  constructor(
    private readonly organizations: OrganizationService,
    private readonly config: ControlPlaneConfig,
    private readonly clock: Clock,
  ) {}

  async one(caller: Caller): Promise<ClientSessionResponse> {
    const organization = await this.organizations.read(caller);
    return toClientSession(caller, organization, this.clock.now(), this.config);
  }
}
