import { ResponseInteger } from '@app/http';

export class WebSocketStatsResponse {
  @ResponseInteger({ description: 'WebSockets of the organization to this process' })
  readonly connections!: number;

  @ResponseInteger({ description: 'Maximum number of them' })
  readonly max_connections!: number;

  @ResponseInteger({ description: 'Bytes that wait until their clients read them' })
  readonly queued_bytes!: number;
}
