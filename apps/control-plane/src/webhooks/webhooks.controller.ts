import {
  CurrentCaller,
  Idempotent,
  mapPage,
  RequireScope,
  Returns,
  ReturnsList,
  ReturnsNoContent,
  Summary,
  toPage,
} from '@app/http';
import type { Caller, PageResult } from '@app/kernel';
import { WebhookService } from '@app/webhooks';
import { Body, Controller, Delete, Get, Header, Param, Patch, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import {
  CreateWebhookRequest,
  DEFAULT_OVERLAP_SECONDS,
  ListWebhooksQuery,
  RotateWebhookSecretRequest,
  UpdateWebhookRequest,
} from './dto/webhook.request.dto.js';
import { WebhookResponse, WebhookWithSecretResponse } from './dto/webhook.response.dto.js';
import { toWebhookFilter, toWebhookResponse, toWebhookWithSecretResponse } from './webhook.mapper.js';

@ApiTags('webhooks')
@Controller('api/v1/webhooks')
export class WebhooksController {
  constructor(private readonly webhooks: WebhookService) {}

  @Get()
  @Summary('Lists webhooks, newest first.')
  @RequireScope('webhooks:manage')
  @ReturnsList(WebhookResponse)
  async list(@CurrentCaller() caller: Caller, @Query() query: ListWebhooksQuery): Promise<PageResult<WebhookResponse>> {
    return mapPage(await this.webhooks.list(caller, toWebhookFilter(query), toPage(query)), toWebhookResponse);
  }

  @Post()
  @Summary('Creates a webhook, which delivers the events of executions to a URL.')
  @RequireScope('webhooks:manage')
  @Header('Cache-Control', 'no-store')
  @Idempotent()
  @Returns(WebhookWithSecretResponse, { status: 201 })
  async create(
    @CurrentCaller() caller: Caller,
    @Body() body: CreateWebhookRequest,
  ): Promise<WebhookWithSecretResponse> {
    return toWebhookWithSecretResponse(await this.webhooks.create(caller, body));
  }

  @Get(':webhook_id')
  @Summary('Returns a webhook.')
  @RequireScope('webhooks:manage')
  @Returns(WebhookResponse)
  async read(@CurrentCaller() caller: Caller, @Param('webhook_id') id: string): Promise<WebhookResponse> {
    return toWebhookResponse(await this.webhooks.read(caller, id));
  }

  @Patch(':webhook_id')
  @Summary('Updates the given fields of a webhook.')
  @RequireScope('webhooks:manage')
  @Returns(WebhookResponse)
  async update(
    @CurrentCaller() caller: Caller,
    @Param('webhook_id') id: string,
    @Body() body: UpdateWebhookRequest,
  ): Promise<WebhookResponse> {
    return toWebhookResponse(await this.webhooks.update(caller, id, body));
  }

  @Post(':webhook_id/rotate')
  @Summary('Replaces the secret of a webhook; deliveries are signed with both for a limited time.')
  @RequireScope('webhooks:manage')
  @Header('Cache-Control', 'no-store')
  @Idempotent()
  @Returns(WebhookWithSecretResponse)
  async rotate(
    @CurrentCaller() caller: Caller,
    @Param('webhook_id') id: string,
    @Body() { overlap_seconds: overlapSeconds = DEFAULT_OVERLAP_SECONDS }: RotateWebhookSecretRequest,
  ): Promise<WebhookWithSecretResponse> {
    return toWebhookWithSecretResponse(await this.webhooks.rotateSecret(caller, id, overlapSeconds));
  }

  @Delete(':webhook_id')
  @Summary('Deletes a webhook with its deliveries.')
  @RequireScope('webhooks:manage')
  @ReturnsNoContent()
  async delete(@CurrentCaller() caller: Caller, @Param('webhook_id') id: string): Promise<void> {
    await this.webhooks.delete(caller, id);
  }
}
