import { WORKER_QUEUE_STATUSES } from '@app/environments';
import { BUCKET_SECONDS } from '@app/executions';
import {
  QueryIntegerField,
  ResponseInteger,
  ResponseList,
  ResponseNested,
  ResponseNumber,
  ResponseString,
  ResponseTime,
  StringField,
  TimeField,
} from '@app/http';

export class QueueWorkersResponse {
  @ResponseInteger({ description: 'Workers that report neither `idle` nor `busy`' })
  readonly active!: number;

  @ResponseInteger({ description: 'Workers that report `idle`' })
  readonly idle!: number;

  @ResponseInteger({ description: 'Workers that report `busy`' })
  readonly busy!: number;

  @ResponseInteger({ description: 'Workers without a heartbeat for three intervals' })
  readonly stale!: number;
}

export class QueueLoadResponse {
  @ResponseString({ description: 'Worker queue id' })
  readonly queue_id!: string;

  @ResponseString()
  readonly queue_name!: string;

  @ResponseString()
  readonly environment_id!: string;

  @ResponseString()
  readonly environment_name!: string;

  @ResponseString({ enum: WORKER_QUEUE_STATUSES, description: 'Status of the queue' })
  readonly status!: string;

  @ResponseInteger({ nullable: true, description: 'Maximum number of connected workers; null: unlimited' })
  readonly max_workers!: number | null;

  @ResponseInteger({ description: 'Executions that wait for a worker, counted up to 10,000' })
  readonly waiting!: number;

  @ResponseTime({
    nullable: true,
    description: 'Start of the longest current wait for a worker; null if no execution waits',
  })
  readonly oldest_waiting_at!: string | null;

  @ResponseInteger({ description: 'Running executions' })
  readonly running!: number;

  @ResponseInteger({ description: 'Paused executions' })
  readonly paused!: number;

  @ResponseInteger({ description: 'Executions that wait for input' })
  readonly waiting_for_input!: number;

  @ResponseTime({
    nullable: true,
    description:
      'Start of the longest current wait for input, by the last change of the execution; null if no execution waits',
  })
  readonly oldest_waiting_for_input_at!: string | null;

  @ResponseNested(QueueWorkersResponse, { description: 'Connected workers by status' })
  readonly workers!: QueueWorkersResponse;

  @ResponseTime({ description: 'Time of these values' })
  readonly at!: string;
}

export class QueueLoadSeriesQuery {
  @TimeField({ empty: 'keep', description: 'Beginning of the period, inclusive. Default: 24 hours before `to`' })
  readonly from?: Date;

  @TimeField({ empty: 'keep', description: 'End of the period, exclusive. Default: now' })
  readonly to?: Date;

  @QueryIntegerField({
    min: Math.min(...BUCKET_SECONDS),
    max: Math.max(...BUCKET_SECONDS),
    description: `Size of a bucket in seconds: ${BUCKET_SECONDS.join(', ')}. Default: the smallest size with which the period has at most 400 buckets`,
  })
  readonly bucket_seconds?: number;

  @StringField({ empty: 'keep', description: 'Id of the worker queue. Default: the sum of all queues' })
  readonly queue_id?: string;
}

export class QueueLoadBucketResponse {
  @ResponseTime({ description: 'Beginning of the bucket' })
  readonly at!: string;

  @ResponseInteger({ description: 'Maximum number of waiting executions' })
  readonly waiting_max!: number;

  @ResponseNumber({ description: 'Longest wait of an execution so far, in seconds' })
  readonly oldest_wait_seconds_max!: number;

  @ResponseInteger({ description: 'Maximum number of running executions' })
  readonly running_max!: number;

  @ResponseInteger({ description: 'Minimum number of live workers' })
  readonly workers_min!: number;
}

export class QueueLoadSeriesResponse {
  @ResponseInteger({ description: 'Size of a bucket in seconds' })
  readonly bucket_seconds!: number;

  @ResponseList(QueueLoadBucketResponse, { description: 'All buckets of the period, in order' })
  readonly buckets!: QueueLoadBucketResponse[];
}
