import { clientAddressOf, KeyGuard, type WireRequest } from '@app/http';
import { KeyAuthenticator, StreamTickets } from '@app/identity';
import { noteOrganization } from '@app/observability';
import { Injectable, type ExecutionContext } from '@nestjs/common';
import { sentTicket, type SentTicket } from './stream-ticket.js';

/**
 * Accepts API keys under the scheme `Bearer`, and under `UserKey`, which workers may send. Routes of streams also
 * accept tickets.
 */
@Injectable()
export class BearerGuard extends KeyGuard {
  protected override readonly schemes = ['Bearer', 'UserKey'];

  constructor(
    protected override readonly keys: KeyAuthenticator,
    private readonly tickets: StreamTickets,
  ) {
    super();
  }

  override canActivate(context: ExecutionContext): Promise<boolean> {
    const sent = sentTicket(context);
    return sent === undefined ? super.canActivate(context) : this.acceptTicket(context, sent);
  }

  private async acceptTicket(context: ExecutionContext, { ticket, executionId }: SentTicket): Promise<boolean> {
    const request = context.switchToHttp().getRequest<WireRequest>();
    const origin = (): string => clientAddressOf(request);
    const { caller, whenEnded } = await this.tickets.authenticate(ticket, executionId, origin);
    Object.assign(request, { caller, whenKeyEnds: whenEnded });
    noteOrganization(caller.organizationId);
    return true;
  }
}
