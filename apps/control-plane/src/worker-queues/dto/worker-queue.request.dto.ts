import { EnumField, IntegerField, ListQuery, ObjectField, StringField, StringListField } from '@app/http';
import { WORKER_QUEUE_STATUSES, type WorkerQueueStatus } from '@app/environments';
import type { JsonObject } from '@app/kernel';

const NAME = {
  minLength: 2,
  maxLength: 50,
  pattern: /^[^\s\p{Lu}\p{Lt}]*$/u,
  publishedPattern: /^[^\sA-Z]*$/,
  patternMeans: 'lowercase characters without spaces',
};
const HEARTBEAT_INTERVAL = { min: 10, max: 300, description: 'Seconds between heartbeats of a worker' };
const MAX_WORKERS = { min: 1, description: 'Workers that may be connected at once; null means unlimited' };

export class CreateWorkerQueueRequest {
  @StringField({ required: true, ...NAME, description: 'Unique in the environment', example: 'gpu-large' })
  readonly name!: string;

  @StringField({ empty: 'keep', default: '', description: 'User-friendly name' })
  readonly display_name?: string;

  @StringField({ empty: 'keep', default: '' })
  readonly description?: string;

  @IntegerField(MAX_WORKERS)
  readonly max_workers?: number | null;

  @IntegerField({ empty: 'keep', default: 60, ...HEARTBEAT_INTERVAL })
  readonly heartbeat_interval?: number;

  @StringListField({ empty: 'keep' })
  readonly tags?: string[];

  @ObjectField({ empty: 'keep' })
  readonly settings?: JsonObject;
}

export class UpdateWorkerQueueRequest {
  @StringField({ empty: 'keep', ...NAME })
  readonly name?: string;

  @StringField({ empty: 'keep' })
  readonly display_name?: string;

  @StringField()
  readonly description?: string | null;

  @EnumField(WORKER_QUEUE_STATUSES, { empty: 'keep', description: 'Paused and inactive queues keep their work' })
  readonly status?: WorkerQueueStatus;

  @IntegerField(MAX_WORKERS)
  readonly max_workers?: number | null;

  @IntegerField({ empty: 'keep', ...HEARTBEAT_INTERVAL })
  readonly heartbeat_interval?: number;

  @StringListField({ empty: 'keep' })
  readonly tags?: string[];

  @ObjectField({ empty: 'keep' })
  readonly settings?: JsonObject;
}

export class ListWorkerQueuesQuery extends ListQuery {
  @StringField({ empty: 'keep' })
  readonly environment_id?: string;

  @EnumField(WORKER_QUEUE_STATUSES, { empty: 'keep' })
  readonly status?: WorkerQueueStatus;
}
