import { ModelGatewayConfig } from '@app/config';
import { WorkerService } from '@app/environments';
import { Returns, ReturnsList, AnyKey, CurrentCaller, ListQuery, Summary, toPage } from '@app/http';
import type { Caller, PageResult } from '@app/kernel';
import { Controller, Get, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { PublicAddress } from '../public-address/public-address.js';
import { listRuntimes, toClientConfig } from './client-config.mapper.js';
import { ClientSessionPresenter } from './client-session.presenter.js';
import { ClientConfigResponse, ClientSessionResponse, RuntimeResponse } from './dto/client-config.response.dto.js';

/** The configuration that clients read when they start. */
@ApiTags('client')
@Controller('api/v1')
export class ClientConfigController {
  constructor(
    private readonly address: PublicAddress,
    private readonly gateway: ModelGatewayConfig,
    private readonly sessions: ClientSessionPresenter,
    private readonly workers: WorkerService,
  ) {}

  @Get('client/config')
  @Summary('Returns the URLs and limits of this platform.')
  @AnyKey()
  @Returns(ClientConfigResponse)
  read(@CurrentCaller() caller: Caller): ClientConfigResponse {
    return toClientConfig(caller, this.address, this.gateway);
  }

  @Get('client/session')
  @Summary('Returns the API key in use with its scopes, user and organization.')
  @AnyKey()
  @Returns(ClientSessionResponse)
  async session(@CurrentCaller() caller: Caller): Promise<ClientSessionResponse> {
    return this.sessions.one(caller);
  }

  @Get('runtimes')
  @Summary('Lists the runtimes that agents can use.')
  @AnyKey()
  @ReturnsList(RuntimeResponse, {
    description: 'Runtime `default`, and those that live workers of the organization declare',
  })
  async runtimes(@CurrentCaller() caller: Caller, @Query() query: ListQuery): Promise<PageResult<RuntimeResponse>> {
    return listRuntimes(await this.workers.runtimesOffered(caller), toPage(query));
  }
}
