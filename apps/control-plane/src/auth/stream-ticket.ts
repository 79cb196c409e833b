import { applyDecorators, SetMetadata, type ExecutionContext } from '@nestjs/common';
import { ApiQuery } from '@nestjs/swagger';

const ACCEPTS_TICKET = 'route:accepts-stream-ticket';

/** The route also accepts a ticket for its execution (`?ticket=`) in place of an API key. */
export const AcceptsStreamTicket = (): MethodDecorator =>
  applyDecorators(
    SetMetadata(ACCEPTS_TICKET, true),
    ApiQuery({
      name: 'ticket',
      required: false,
      description: 'Ticket of this stream, for clients that cannot send an `Authorization` header',
      schema: { type: 'string' },
    }),
  );

export interface SentTicket {
  readonly ticket: string;
  readonly executionId: string;
}

/**
 * Returns the ticket of a request without an `Authorization` header; undefined if there is none or the route accepts
 * none.
 */
export function sentTicket(context: ExecutionContext): SentTicket | undefined {
  if (Reflect.getMetadata(ACCEPTS_TICKET, context.getHandler()) !== true) return undefined;
  const { headers, query, params } = context.switchToHttp().getRequest<TicketRequest>();
  const { ticket } = query;
  if (headers.authorization !== undefined || typeof ticket !== 'string' || ticket === '') return undefined;
  return { ticket, executionId: params['execution_id'] ?? '' };
}

interface TicketRequest {
  readonly headers: { readonly authorization?: string };
  readonly query: Readonly<Record<string, unknown>>;
  readonly params: Readonly<Record<string, string>>;
}
