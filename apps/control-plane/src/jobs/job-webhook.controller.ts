import type { IncomingHttpHeaders } from 'node:http';
import {
  clientAddressOf,
  Returns,
  Idempotent,
  IdempotentResponses,
  parseJsonOrFormBody,
  Public,
  Summary,
  RawBody,
  SecretParams,
  type WireRequest,
} from '@app/http';
import { challengeOf, JobWebhookService, type JobWebhookCall } from '@app/jobs';
import { OrganizationShares } from '@app/rate-limits';
import { Controller, Param, Post, Req, Res, UseGuards } from '@nestjs/common';
import type { Request, Response } from 'express';
import { ApiBody, ApiHeader, ApiQuery, ApiResponse, ApiTags } from '@nestjs/swagger';
import { JobWebhookRequest } from './dto/job-webhook.request.dto.js';
import { JobTriggerResponse } from './dto/job.response.dto.js';
import { toJobTriggerResponse } from './job.mapper.js';
import { JobWebhookGuard } from './job-webhook.guard.js';

/** Webhook calls are authenticated by the secret of the job instead of an API key. */
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
      'Alternatives: the Standard Webhooks headers `webhook-id`, `webhook-timestamp` and `webhook-signature`, or those of ' +
      'the sender that `webhook_signature` of the job names',
  })
  @ApiQuery({
    name: 'secret',
    required: false,
    description: 'The `webhook_secret`, for jobs with the `webhook_signature` `none_with_secret_in_url`',
    schema: { type: 'string' },
  })
  @ApiBody({
    type: JobWebhookRequest,
    required: false,
    description:
      'Parameters and overrides. An object with other keys is used as `parameters` as a whole, as are the fields of a ' +
      'form (`application/x-www-form-urlencoded`), or the JSON in its field `payload`',
  })
  @Returns(JobTriggerResponse, {
    description: 'The execution. A `url_verification` of Slack is answered with an object of its `challenge` only',
  })
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
    const challenge = challengeOf(signed);
    if (challenge !== undefined) return { challenge };
    const sender = { scope: signed.scope, keyPrefix: `${signed.job.id}/`, secrets: undefined };
    return this.responses.once(sender, request, response, async () =>
      toJobTriggerResponse(await this.webhooks.receive(signed)),
    );
  }
}

function toWebhookCall({ headers, query, rawBody = new Uint8Array() }: Request & WireRequest): JobWebhookCall {
  const { secret } = query;
  return {
    rawBody,
    payload: () => parseJsonOrFormBody(rawBody, headers['content-type']),
    headers: singleValued(headers),
    urlSecret: typeof secret === 'string' ? secret : null,
  };
}

function singleValued(headers: IncomingHttpHeaders): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).filter((header): header is [string, string] => typeof header[1] === 'string'),
  );
}
