import { ResponseInteger } from '@app/http';

export class WebSocketStatsResponse {
  @ResponseInteger({ description: 'Number of WebSockets of the organization to this process' })
  readonly connections!: number;

  @ResponseInteger({ description: 'Maximum number of WebSockets of the organization to this process' })
  readonly max_connections!: number;

  @ResponseInteger({ description: 'Number of bytes that are buffered because clients have not read them' })
  readonly queued_bytes!: number;
}
