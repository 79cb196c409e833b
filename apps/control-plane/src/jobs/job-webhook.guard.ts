import { clientAddressOf, type WireRequest } from '@app/http';
import { JobWebhookService } from '@app/jobs';
import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';

/** Accepts calls with the token of a job. Guards run before the body is read: an unknown token occupies no memory. */
@Injectable()
export class JobWebhookGuard implements CanActivate {
  constructor(private readonly webhooks: JobWebhookService) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<Request & WireRequest>();
    const token = String(request.params['token']);
    request.sender = await this.webhooks.senderOf(token, () => clientAddressOf(request));
    return true;
  }
}
