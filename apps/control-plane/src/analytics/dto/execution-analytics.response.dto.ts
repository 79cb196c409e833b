import { FAILURE_KINDS, type FailureKind } from '@app/executions';
import { ResponseInteger, ResponseList, ResponseString, ResponseTime } from '@app/http';

export class FailedEntityResponse {
  @ResponseString({ description: 'Id of the agent or team' })
  readonly id!: string;

  @ResponseString({ nullable: true, description: 'Name of the agent or team at its last failure' })
  readonly name!: string | null;

  @ResponseInteger({ description: 'Number of failures in the period' })
  readonly count!: number;
}

export class FailureGroupResponse {
  @ResponseString({ example: '0f6d2c9a41b7e358', description: 'Hash of the title, 16 hexadecimal digits' })
  readonly cause!: string;

  @ResponseString({
    enum: FAILURE_KINDS,
    description: 'Part of the platform that failed, derived from the title of the error',
  })
  readonly kind!: FailureKind;

  @ResponseString({
    example: 'The worker stopped responding (attempt # of #)',
    description:
      'First line of the error without its parameters: `#` stands for an id or a number, `{text}`, `{url}` and `{path}` for quoted text, a URL and a path',
  })
  readonly title!: string;

  @ResponseString({ nullable: true, description: 'Error message of the last failure, first 300 characters' })
  readonly example!: string | null;

  @ResponseInteger({ description: 'Number of failures in the period' })
  readonly count!: number;

  @ResponseInteger({ description: 'Number of failures in the preceding period of the same length; 0 for a new cause' })
  readonly count_before!: number;

  @ResponseTime({ description: 'End of the first failed execution in the period' })
  readonly first_at!: string;

  @ResponseTime({ description: 'End of the last failed execution in the period' })
  readonly last_at!: string;

  @ResponseList(FailedEntityResponse, { description: 'The three agents or teams with the most failures' })
  readonly entities!: FailedEntityResponse[];

  @ResponseString({ description: 'Id of the last failed execution' })
  readonly last_execution_id!: string;
}

export class FailuresResponse {
  @ResponseTime({ description: 'Beginning of the period, inclusive' })
  readonly from!: string;

  @ResponseTime({ description: 'End of the period, exclusive' })
  readonly to!: string;

  @ResponseInteger({ description: 'Number of executions that failed in the period' })
  readonly failed!: number;

  @ResponseInteger({ description: 'Number of executions that failed in the preceding period of the same length' })
  readonly failed_before!: number;

  @ResponseList(FailureGroupResponse, { description: 'Failures by cause, the most frequent first' })
  readonly groups!: FailureGroupResponse[];
}

export class SeriesBucketResponse {
  @ResponseTime({ description: 'Beginning of the bucket' })
  readonly at!: string;

  @ResponseInteger({ description: 'Number of executions that started' })
  readonly started!: number;

  @ResponseInteger({ description: 'Number of executions that completed' })
  readonly completed!: number;

  @ResponseInteger({ description: 'Number of executions that failed' })
  readonly failed!: number;

  @ResponseInteger({ description: 'Number of executions that were cancelled' })
  readonly cancelled!: number;

  @ResponseInteger({ description: 'Number of executions that were terminated' })
  readonly terminated!: number;

  @ResponseInteger({
    nullable: true,
    description: '95th percentile of the time from creation to start in milliseconds, within 2 %; null if none started',
  })
  readonly wait_p95_ms!: number | null;

  @ResponseInteger({
    nullable: true,
    description: 'Median duration of the executions that ended in milliseconds, within 2 %; null if none ended',
  })
  readonly run_p50_ms!: number | null;

  @ResponseInteger({
    nullable: true,
    description: '95th percentile of the same durations in milliseconds, within 2 %; null if none ended',
  })
  readonly run_p95_ms!: number | null;
}

export class SeriesResponse {
  @ResponseTime({ description: 'Beginning of the first bucket' })
  readonly from!: string;

  @ResponseTime({ description: 'End of the last bucket' })
  readonly to!: string;

  @ResponseInteger({ description: 'Size of a bucket in seconds' })
  readonly bucket_seconds!: number;

  @ResponseList(SeriesBucketResponse, { description: 'Every bucket of the period, in order' })
  readonly buckets!: SeriesBucketResponse[];
}
