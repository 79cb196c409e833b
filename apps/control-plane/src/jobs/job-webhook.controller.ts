import type { IncomingHttpHeaders } from 'node:http';
import {
  Answers,
  Idempotent,
  IdempotentAnswers,
  parseJsonBody,
  Public,
  Summary,
  UnparsedBody,
  type WireRequest,
} from '@app/http';
import { JobWebhookService, type WebhookCall } from '@app/jobs';
import { Controller, Param, Post, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { ApiBody, ApiHeader, ApiResponse, ApiTags } from '@nestjs/swagger';
import { JobWebhookRequest } from './dto/job-webhook.request.dto.js';
import { JobTriggerResponse } from './dto/job.response.dto.js';
import { toJobTriggerResponse } from './job.mapper.js';

/** Where the outside world triggers a webhook job: no key, but a signature. */
@ApiTags('jobs')
@Controller('api/v1/jobs/webhook')
export class JobWebhookController {
  constructor(
    private readonly webhooks: JobWebhookService,
    private readonly answers: IdempotentAnswers,
  ) {}

  @Post(':token')
  @Summary('Triggers the webhook job of this address, by a signed request.')
  @Public()
  @UnparsedBody()
  @Idempotent()
  @ApiHeader({
    name: 'X-Webhook-Signature',
    required: false,
    description:
      'Hex HMAC-SHA256 of the body under the webhook_secret, `sha256=` before it or not; or else the three headers of ' +
      'Standard Webhooks: webhook-id, webhook-timestamp, webhook-signature.',
  })
  @ApiBody({ type: JobWebhookRequest, required: false, description: 'Any other object becomes the parameters' })
  @Answers(JobTriggerResponse)
  @ApiResponse({
    status: 401,
    description: 'No valid signature',
    content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
  })
  async receive(
    @Param('token') token: string,
    @Req() request: Request & WireRequest,
    @Res({ passthrough: true }) response: Response,
  ): Promise<unknown> {
    const signed = await this.webhooks.verify(token, toWebhookCall(request));
    const sender = { scope: signed.scope, keyPrefix: `${signed.job.id}/`, secrets: undefined };
    return this.answers.once(sender, request, response, async () =>
      toJobTriggerResponse(await this.webhooks.receive(signed)),
    );
  }
}

function toWebhookCall({ headers, rawBody = new Uint8Array() }: WireRequest): WebhookCall {
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
