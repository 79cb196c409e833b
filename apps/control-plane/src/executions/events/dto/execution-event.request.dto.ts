import { EVENT_TYPE_MAX_LENGTH, EVENT_TYPE_PATTERN, KNOWN_EVENT_TYPES } from '@app/events';
import { ObjectField, StringField } from '@app/http';
import type { JsonObject } from '@app/kernel';

export class PublishEventRequest {
  @StringField({
    required: true,
    maxLength: EVENT_TYPE_MAX_LENGTH,
    pattern: EVENT_TYPE_PATTERN,
    patternMeans: 'characters other than line breaks and NUL',
    description: `Event type, 1 to ${EVENT_TYPE_MAX_LENGTH} characters. Any value; well-known ones: ${KNOWN_EVENT_TYPES.join(', ')}`,
    example: 'message_chunk',
  })
  readonly event_type!: string;

  @ObjectField({ empty: 'keep', default: {}, description: 'Payload of the event. Default `{}`' })
  readonly data?: JsonObject;

  @StringField({ empty: 'keep', description: 'Time of the event, streamed unchanged. Default: time of receipt' })
  readonly timestamp?: string;
}
