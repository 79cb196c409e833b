import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { ApiHeader, ApiQuery } from '@nestjs/swagger';
import { StringField } from '../fields/fields.js';
import { parseWire } from '../fields/parse.js';
import type { WireRequest } from '../wire/wire-request.js';
import { describedMethod } from '../routes/described-method.js';

class StreamQuery {
  @StringField({ empty: 'keep' })
  readonly last_event_id?: string;
}

/**
 * Returns the id of the last event that the client received: from the header, otherwise from the query, otherwise
 * `null`. The header takes precedence, because a reconnecting client updates the header and keeps its URL. Empty values
 * are ignored.
 */
const lastEventId = createParamDecorator((_data: unknown, context: ExecutionContext): string | null => {
  const { headers, query } = context.switchToHttp().getRequest<WireRequest & { readonly query: unknown }>();
  const { last_event_id: byQuery } = parseWire(StreamQuery, query, 'query');
  return [headers['last-event-id'], byQuery].flat().find((id) => id !== undefined && id !== '') ?? null;
});

/** Injects the id of the last event that the client of a stream received, or `null` for a new client. */
export const LastEventId = (): ParameterDecorator => (target, method, index) => {
  lastEventId()(target, method, index);
  const described = describedMethod(target, method);
  ApiHeader({ name: 'Last-Event-ID', required: false, description: 'Id of the last received event' })(
    target,
    ...described,
  );
  ApiQuery({
    name: 'last_event_id',
    required: false,
    description: 'Id of the last received event, for clients that cannot send `Last-Event-ID`',
    schema: { type: 'string', nullable: true },
  })(target, ...described);
};
