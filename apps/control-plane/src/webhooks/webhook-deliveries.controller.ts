import { CurrentCaller, Idempotent, mapPage, RequireScope, Returns, ReturnsList, Summary, toPage } from '@app/http';
import { Clock, type Caller, type PageResult } from '@app/kernel';
import { WebhookDeliveryService } from '@app/webhooks';
import { Body, Controller, Get, Param, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import {
  toDeliveryDetailResponse,
  toDeliveryFilter,
  toDeliveryResponse,
  toReplayRange,
} from './webhook-delivery.mapper.js';
import { ListDeliveriesQuery, ReplayDeliveriesRequest } from './dto/webhook-delivery.request.dto.js';
import {
  DeliveryDetailResponse,
  DeliveryResponse,
  ReplayedDeliveriesResponse,
} from './dto/webhook-delivery.response.dto.js';

@ApiTags('webhooks')
@Controller('api/v1/webhooks')
export class WebhookDeliveriesController {
  constructor(
    private readonly deliveries: WebhookDeliveryService,
    private readonly clock: Clock,
  ) {}

  @Get('deliveries/:delivery_id')
  @Summary('Returns a delivery with its request and the last response.')
  @RequireScope('webhooks:manage')
  @Returns(DeliveryDetailResponse)
  async read(@CurrentCaller() caller: Caller, @Param('delivery_id') id: string): Promise<DeliveryDetailResponse> {
    return toDeliveryDetailResponse(await this.deliveries.read(caller, id));
  }

  @Post('deliveries/:delivery_id/replay')
  @Summary('Delivers an event again, with the same id. Returns 409 if its delivery has not ended.')
  @RequireScope('webhooks:manage')
  @Idempotent()
  @Returns(DeliveryResponse)
  async replay(@CurrentCaller() caller: Caller, @Param('delivery_id') id: string): Promise<DeliveryResponse> {
    return toDeliveryResponse(await this.deliveries.replay(caller, id));
  }

  @Get(':webhook_id/deliveries')
  @Summary('Lists the deliveries of a webhook, newest first.')
  @RequireScope('webhooks:manage')
  @ReturnsList(DeliveryResponse)
  async list(
    @CurrentCaller() caller: Caller,
    @Param('webhook_id') webhookId: string,
    @Query() query: ListDeliveriesQuery,
  ): Promise<PageResult<DeliveryResponse>> {
    const page = await this.deliveries.list(caller, webhookId, toDeliveryFilter(query), toPage(query));
    return mapPage(page, toDeliveryResponse);
  }

  @Post(':webhook_id/test')
  @Summary('Sends a signed `ping` to a webhook, once. Its delivery shows the response.')
  @RequireScope('webhooks:manage')
  @Idempotent()
  @Returns(DeliveryResponse, { status: 201 })
  async test(@CurrentCaller() caller: Caller, @Param('webhook_id') webhookId: string): Promise<DeliveryResponse> {
    return toDeliveryResponse(await this.deliveries.test(caller, webhookId));
  }

  @Post(':webhook_id/replay')
  @Summary('Delivers the events of a time range again, with the same ids.')
  @RequireScope('webhooks:manage')
  @Idempotent()
  @Returns(ReplayedDeliveriesResponse)
  async replayRange(
    @CurrentCaller() caller: Caller,
    @Param('webhook_id') webhookId: string,
    @Body() body: ReplayDeliveriesRequest,
  ): Promise<ReplayedDeliveriesResponse> {
    const range = toReplayRange(body, this.clock.now());
    return { replayed: await this.deliveries.replayRange(caller, webhookId, range) };
  }
}
