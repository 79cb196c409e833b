import { CurrentCaller, Idempotent, mapPage, RequireScope, Returns, ReturnsList, Summary, toPage } from '@app/http';
import { Clock, type Caller, type PageResult } from '@app/kernel';
import { WebhookDeliveryService } from '@app/webhooks';
import { Body, Controller, Get, Param, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import {
  toWebhookDeliveryDetailResponse,
  toWebhookDeliveryFilter,
  toWebhookDeliveryResponse,
  toReplayRange,
} from './webhook-delivery.mapper.js';
import { ListWebhookDeliveriesQuery, ReplayWebhookDeliveriesRequest } from './dto/webhook-delivery.request.dto.js';
import {
  WebhookDeliveryDetailResponse,
  WebhookDeliveryResponse,
  ReplayedWebhookDeliveriesResponse,
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
  @Returns(WebhookDeliveryDetailResponse)
  async read(
    @CurrentCaller() caller: Caller,
    @Param('delivery_id') id: string,
  ): Promise<WebhookDeliveryDetailResponse> {
    return toWebhookDeliveryDetailResponse(await this.deliveries.read(caller, id));
  }

  @Post('deliveries/:delivery_id/replay')
  @Summary('Delivers an event again, with the same id. Returns 409 if its delivery has not ended.')
  @RequireScope('webhooks:manage')
  @Idempotent()
  @Returns(WebhookDeliveryResponse)
  async replay(@CurrentCaller() caller: Caller, @Param('delivery_id') id: string): Promise<WebhookDeliveryResponse> {
    return toWebhookDeliveryResponse(await this.deliveries.replay(caller, id));
  }

  @Get(':webhook_id/deliveries')
  @Summary('Lists the deliveries of a webhook, newest first.')
  @RequireScope('webhooks:manage')
  @ReturnsList(WebhookDeliveryResponse)
  async list(
    @CurrentCaller() caller: Caller,
    @Param('webhook_id') webhookId: string,
    @Query() query: ListWebhookDeliveriesQuery,
  ): Promise<PageResult<WebhookDeliveryResponse>> {
    const page = await this.deliveries.list(caller, webhookId, toWebhookDeliveryFilter(query), toPage(query));
    return mapPage(page, toWebhookDeliveryResponse);
  }

  @Post(':webhook_id/test')
  @Summary('Sends a signed `ping` to a webhook, once. Its delivery shows the response.')
  @RequireScope('webhooks:manage')
  @Idempotent()
  @Returns(WebhookDeliveryResponse, { status: 201 })
  async test(
    @CurrentCaller() caller: Caller,
    @Param('webhook_id') webhookId: string,
  ): Promise<WebhookDeliveryResponse> {
    return toWebhookDeliveryResponse(await this.deliveries.test(caller, webhookId));
  }

  @Post(':webhook_id/replay')
  @Summary('Delivers the events of a time range again, with the same ids.')
  @RequireScope('webhooks:manage')
  @Idempotent()
  @Returns(ReplayedWebhookDeliveriesResponse)
  async replayRange(
    @CurrentCaller() caller: Caller,
    @Param('webhook_id') webhookId: string,
    @Body() body: ReplayWebhookDeliveriesRequest,
  ): Promise<ReplayedWebhookDeliveriesResponse> {
    const range = toReplayRange(body, this.clock.now());
    return { replayed: await this.deliveries.replayRange(caller, webhookId, range) };
  }
}
