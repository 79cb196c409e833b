import { ModelGatewayConfig } from '@app/config';
import { Answers, AnswersList, AnyKey, CurrentCaller, ListQuery, Summary, toPage } from '@app/http';
import type { Caller, Listed } from '@app/kernel';
import { Controller, Get, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { PublicAddress } from '../public-address/public-address.js';
import { toClientConfig } from './client-config.mapper.js';
import { ClientConfigResponse, RuntimeResponse } from './dto/client-config.response.dto.js';
import { listRuntimes } from './runtimes.js';

/** What a client can know before it asks for anything. */
@ApiTags('client')
@Controller('api/v1')
export class ClientConfigController {
  constructor(
    private readonly address: PublicAddress,
    private readonly gateway: ModelGatewayConfig,
  ) {}

  @Get('client/config')
  @Summary('Tells a client the addresses and limits of this platform.')
  @AnyKey()
  @Answers(ClientConfigResponse)
  read(@CurrentCaller() caller: Caller): ClientConfigResponse {
    return toClientConfig(caller, this.address.url, this.gateway);
  }

  @Get('runtimes')
  @Summary('Lists the runtimes that agents can name.')
  @AnyKey()
  @AnswersList(RuntimeResponse, 'Runtimes that workers of this platform bring')
  runtimes(@Query() query: ListQuery): Listed<RuntimeResponse> {
    return listRuntimes(toPage(query));
  }
}
