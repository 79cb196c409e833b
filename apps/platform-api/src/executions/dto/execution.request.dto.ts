import { StringField } from '@app/http';

export class StreamQuery {
  @StringField({ empty: 'keep', description: 'The last event seen, for clients that can not send Last-Event-ID' })
  readonly last_event_id?: string;
}
