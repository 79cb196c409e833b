import { clientAddressOf, KeyGuard, type WireRequest } from '@app/http';
import { KeyService, StreamTickets } from '@app/identity';
import { Injectable, type ExecutionContext } from '@nestjs/common';
import { sentTicket } from './stream-ticket.js';

/** Accepts API keys under both schemes: workers send `UserKey`, all other clients `Bearer`. Streams accept tickets too. */
@Injectable()
export class BearerGuard extends KeyGuard {
  protected override readonly schemes = ['Bearer', 'UserKey'];

  constructor(
    protected override readonly keys: KeyService,
    private readonly tickets: StreamTickets,
  ) {
    super();
  }

  override async canActivate(context: ExecutionContext): Promise<boolean> {
    const sent = sentTicket(context);
    if (sent === undefined) return super.canActivate(context);
    const request = context.switchToHttp().getRequest<WireRequest>();
    const origin = (): string => clientAddressOf(request);
    const { caller, whenEnded } = await this.tickets.authenticate(sent.ticket, sent.executionId, origin);
    Object.assign(request, { caller, whenKeyEnds: whenEnded });
    return true;
  }
}
