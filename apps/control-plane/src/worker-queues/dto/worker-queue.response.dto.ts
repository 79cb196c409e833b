import { ResponseInteger, ResponseObject, ResponseString, ResponseStringList, ResponseTime } from '@app/http';
import { WORKER_QUEUE_STATUSES } from '@app/environments';
import type { JsonObject } from '@app/kernel';

export class WorkerQueueResponse {
  @ResponseString()
  readonly id!: string;

  @ResponseString()
  readonly organization_id!: string;

  @ResponseString()
  readonly environment_id!: string;

  @ResponseString({ description: 'Name, unique in the environment' })
  readonly name!: string;

  @ResponseString()
  readonly display_name!: string;

  @ResponseString()
  readonly description!: string;

  @ResponseString({
    enum: WORKER_QUEUE_STATUSES,
    description: 'Status. `active`: workers take executions; `paused` and `inactive`: executions stay in the queue',
  })
  readonly status!: string;

  @ResponseInteger({ nullable: true, description: 'Maximum number of connected workers; null for no limit' })
  readonly max_workers!: number | null;

  @ResponseInteger({ description: 'Seconds between the heartbeats of a worker, 10 to 300' })
  readonly heartbeat_interval!: number;

  @ResponseStringList()
  readonly tags!: readonly string[];

  @ResponseObject({ description: 'Free-form settings' })
  readonly settings!: JsonObject;

  @ResponseTime()
  readonly created_at!: string;

  @ResponseTime()
  readonly updated_at!: string;

  @ResponseString({ nullable: true })
  readonly created_by!: string | null;

  @ResponseString({ description: 'Same as `id`' })
  readonly task_queue_name!: string;

  @ResponseInteger({ description: 'Number of connected workers: neither `disconnected` nor `stale`' })
  readonly active_workers!: number;
}
