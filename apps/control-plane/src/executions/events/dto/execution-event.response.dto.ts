import { ResponseBoolean, ResponseString, ResponseTime } from '@app/http';

export class PublishedEventResponse {
  @ResponseBoolean({ description: 'Always true' })
  readonly success!: boolean;

  @ResponseString({
    description: 'Event id: `{execution_id}_{counter}_{unix_micros}`. The counter has no gaps within an execution',
  })
  readonly event_id!: string;

  @ResponseString()
  readonly execution_id!: string;

  @ResponseString({ description: 'Event type as sent' })
  readonly event_type!: string;
}

export class StreamTicketResponse {
  @ResponseString({ secret: true, description: 'Ticket, sent as the query parameter `ticket`' })
  readonly ticket!: string;

  @ResponseTime({ description: 'Time after which the ticket opens no further connection' })
  readonly expires_at!: string;
}
