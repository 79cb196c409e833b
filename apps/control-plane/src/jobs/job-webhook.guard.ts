import { clientAddressOf, type WireRequest } from '@app/http';
import { JobWebhookService } from '@app/jobs';
import { noteOrganization } from '@app/observability';
import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';

/**
 * Accepts calls with the token of a job. Runs before the body is read, so a call with an unknown token uses no memory.
 */
@Injectable()
export class JobWebhookGuard implements CanActivate {
  constructor(private readonly webhooks: JobWebhookService) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<Request & WireRequest>();
    const token = String(request.params['token']);
    request.sender = await this.webhooks.senderOf(token, () => clientAddressOf(request));
    noteOrganization(request.sender.organizationId);
    return true;
  }
}
