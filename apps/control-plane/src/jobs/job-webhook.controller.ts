import type { IncomingHttpHeaders } from 'node:http';
import {
  clientAddressOf,
  Returns,
  Idempotent,
  IdempotentResponses,
  parseJsonBody,
  Public,
  Summary,
  RawBody,
  SecretParams,
  type WireRequest,
} from '@app/http';
import { JobWebhookService, type JobWebhookCall } from '@app/jobs';
import { OrganizationShares } from '@app/rate-limits';
import { Controller, Param, Post, Req, Res, UseGuards } from '@nestjs/common';
import type { Request, Response } from 'express';
import { ApiBody, ApiHeader, ApiResponse, ApiTags } from '@nestjs/swagger';
import { JobWebhookRequest } from './dto/job-webhook.request.dto.js';
import { JobTriggerResponse } from './dto/job.response.dto.js';
import { toJobTriggerResponse } from './job.mapper.js';
import { JobWebhookGuard } from './job-webhook.guard.js';

/** Webhook calls are authenticated by a signature instead of an API key. */
@ApiTags('jobs')
@Controller('api/v1/jobs/webhook')
export class JobWebhookController {
  constructor(
    private readonly webhooks: JobWebhookService,
    private readonly responses: IdempotentResponses,
    private readonly shares: OrganizationShares,
  ) {}

  @Post(':token')
  @Summary('Triggers a webhook job by a signed request.')
  @Public()
  @SecretParams('token')
  @UseGuards(JobWebhookGuard)
  @RawBody()
  @Idempotent()
  @ApiHeader({
    name: 'X-Webhook-Signature',
    required: false,
    description:
      'HMAC-SHA256 of the body with the `webhook_secret` as key, in hexadecimal, with an optional prefix `sha256=`. ' +
      'Alternative: the Standard Webhooks headers `webhook-id`, `webhook-timestamp` and `webhook-signature`',
  })
  @ApiBody({
    type: JobWebhookRequest,
    required: false,
    description: 'Parameters and overrides. An object with other keys is used as `parameters` as a whole',
  })
  @Returns(JobTriggerResponse)
  @ApiResponse({
    status: 401,
    description: 'Missing or invalid signature',
    content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
  })
  async receive(
    @Param('token') token: string,
    @Req() request: Request & WireRequest,
    @Res({ passthrough: true }) response: Response,
  ): Promise<unknown> {
    const signed = await this.webhooks.verify(token, toWebhookCall(request), () => clientAddressOf(request));
    this.shares.count(signed.scope.organizationId);
    const sender = { scope: signed.scope, keyPrefix: `${signed.job.id}/`, secrets: undefined };
    return this.responses.once(sender, request, response, async () =>
      toJobTriggerResponse(await this.webhooks.receive(signed)),
    );
  }
}

function toWebhookCall({ headers, rawBody = new Uint8Array() }: WireRequest): JobWebhookCall {
  return {
    rawBody,
    payload: () => parseJsonBody(rawBody, headers['content-type']),
    signature: header(headers, 'x-webhook-signature'),
    webhookId: header(headers, 'webhook-id'),
    webhookTimestamp: header(headers, 'webhook-timestamp'),
    webhookSignature: header(headers, 'webhook-signature'),
  };
}

function header(headers: IncomingHttpHeaders, name: string): string | null {
  const value = headers[name];
  return typeof value === 'string' ? value : null;
}
