import { BUCKET_SECONDS } from '@app/executions';
import { QueryIntegerField, StringField, TimeField } from '@app/http';

export class ExecutionAnalyticsQuery {
  @TimeField({ empty: 'keep', description: 'Beginning of the period, inclusive. Default: 24 hours before `to`' })
  readonly from?: Date;

  @TimeField({ empty: 'keep', description: 'End of the period, exclusive. Default: now' })
  readonly to?: Date;

  @StringField({ empty: 'keep', description: 'Id of the agent or team that ran. Default: all' })
  readonly entity_id?: string;

  @StringField({ empty: 'keep', description: 'Id of the job that started the executions. Default: all' })
  readonly job_id?: string;

  @StringField({ empty: 'keep', description: 'Id of the worker queue. Default: all' })
  readonly worker_queue_id?: string;
}

export class SeriesQuery extends ExecutionAnalyticsQuery {
  @QueryIntegerField({
    min: Math.min(...BUCKET_SECONDS),
    max: Math.max(...BUCKET_SECONDS),
    description: `Size of a bucket in seconds: ${BUCKET_SECONDS.join(', ')}. Default: the smallest size with which the period has at most 400 buckets`,
  })
  readonly bucket_seconds?: number;
}

export const DEFAULT_CAUSES = 20;

export class FailuresQuery extends ExecutionAnalyticsQuery {
  @QueryIntegerField({
    min: 1,
    max: 50,
    default: DEFAULT_CAUSES,
    description: 'Maximum number of causes, 1 to 50. Default 20',
  })
  readonly limit?: number;
}
