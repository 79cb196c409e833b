import { ControlPlaneConfig, ModelGatewayConfig } from '@app/config';
import { Returns, AnyKey, CurrentCaller, Summary } from '@app/http';
import type { Caller } from '@app/kernel';
import { Controller, Get } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { PublicAddress } from '../public-address/public-address.js';
import { toClientConfig } from './client-config.mapper.js';
import { ClientSessionPresenter } from './client-session.presenter.js';
import { ClientConfigResponse, ClientSessionResponse } from './dto/client-config.response.dto.js';

/** The configuration that clients read when they start. */
@ApiTags('client')
@Controller('api/v1/client')
export class ClientConfigController {
  constructor(
    private readonly address: PublicAddress,
    private readonly gateway: ModelGatewayConfig,
    private readonly config: ControlPlaneConfig,
    private readonly sessions: ClientSessionPresenter,
  ) {}

  @Get('config')
  @Summary('Returns the URLs and limits of this platform.')
  @AnyKey()
  @Returns(ClientConfigResponse)
  read(@CurrentCaller() caller: Caller): ClientConfigResponse {
    return toClientConfig(caller, this.address, this.gateway, this.config);
  }

  @Get('session')
  @Summary('Returns the API key in use with its scopes, user and organization.')
  @AnyKey()
  @Returns(ClientSessionResponse)
  async session(@CurrentCaller() caller: Caller): Promise<ClientSessionResponse> {
    return this.sessions.one(caller);
  }
}
