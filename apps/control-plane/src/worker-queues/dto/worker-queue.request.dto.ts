import {
  EnumField,
  IntegerField,
  NamedListQuery,
  ObjectField,
  PatchOf,
  StringField,
  StringListField,
  UNCHANGED,
} from '@app/http';
import { WORKER_QUEUE_STATUSES, type WorkerQueueStatus } from '@app/environments';
import type { JsonObject } from '@app/kernel';

const NAME = {
  minLength: 2,
  maxLength: 50,
  pattern: /^[^\s\p{Lu}\p{Lt}]*$/u,
  publishedPattern: /^[^\sA-Z]*$/,
  patternMeans: 'lowercase characters without spaces',
};
const HEARTBEAT_INTERVAL = {
  min: 10,
  max: 300,
  description: 'Seconds between the heartbeats of a worker, 10 to 300. Default 60 on creation',
};
const MAX_WORKERS = { min: 1, description: 'Maximum number of connected workers; null for no limit' };

export class CreateWorkerQueueRequest {
  @StringField({
    required: true,
    ...NAME,
    description: 'Name, unique in the environment. Lower-case characters without spaces',
    example: 'gpu-large',
  })
  readonly name!: string;

  @StringField({ empty: 'keep', default: '', description: 'Display name. Default empty on creation' })
  readonly display_name?: string;

  @StringField({ empty: 'keep', default: '' })
  readonly description?: string;

  @IntegerField(MAX_WORKERS)
  readonly max_workers?: number | null;

  @IntegerField({ empty: 'keep', default: 60, ...HEARTBEAT_INTERVAL })
  readonly heartbeat_interval?: number;

  @StringListField({ empty: 'keep' })
  readonly tags?: string[];

  @ObjectField({ empty: 'keep', description: 'Free-form settings' })
  readonly settings?: JsonObject;
}

export class UpdateWorkerQueueRequest extends PatchOf(CreateWorkerQueueRequest, {
  change: { description: { empty: 'clear' }, display_name: { cleared: '', blank: UNCHANGED } },
}) {
  @EnumField(WORKER_QUEUE_STATUSES, {
    empty: 'keep',
    description: 'Status. `active`: workers take executions; `paused` and `inactive`: executions stay in the queue',
  })
  readonly status?: WorkerQueueStatus;
}

export class ListWorkerQueuesQuery extends NamedListQuery {
  @StringField({ empty: 'keep', description: 'Environment id' })
  readonly environment_id?: string;

  @EnumField(WORKER_QUEUE_STATUSES, {
    empty: 'keep',
    description: 'Status. `active`: workers take executions; `paused` and `inactive`: executions stay in the queue',
  })
  readonly status?: WorkerQueueStatus;
}
