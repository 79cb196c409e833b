import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { ApiHeader, ApiQuery } from '@nestjs/swagger';
import { StringField } from '../wire/fields.js';
import { parseWire } from '../wire/parse.js';
import type { WireRequest } from './access.js';
import { describedMethod } from './described-method.js';

class StreamQuery {
  @StringField({ empty: 'keep' })
  readonly last_event_id?: string;
}

/**
 * What the client says of the last event it has seen: by header, else by query, else `null`. A client that reconnects
 * sends the header while its query stays as it was, so the header wins; an empty one says nothing.
 */
const lastEventId = createParamDecorator((_data: unknown, context: ExecutionContext): string | null => {
  const { headers, query } = context.switchToHttp().getRequest<WireRequest & { readonly query: unknown }>();
  const { last_event_id: byQuery } = parseWire(StreamQuery, query, 'query');
  return [headers['last-event-id'], byQuery].flat().find((id) => id !== undefined && id !== '') ?? null;
});

/** The last event that the client of a stream has seen, or `null` for one that begins. */
export const LastEventId = (): ParameterDecorator => (target, method, index) => {
  lastEventId()(target, method, index);
  const described = describedMethod(target, method);
  ApiHeader({ name: 'Last-Event-ID', required: false, description: 'The last event seen' })(target, ...described);
  ApiQuery({
    name: 'last_event_id',
    required: false,
    description: 'The last event seen, for clients that can not send Last-Event-ID',
    schema: { type: 'string', nullable: true },
  })(target, ...described);
};
