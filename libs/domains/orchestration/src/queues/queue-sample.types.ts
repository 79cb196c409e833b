/** The load of a queue at one time. */
export interface QueueSample {
  readonly organization_id: string;
  readonly worker_queue_id: string;
  readonly at: Date;
  readonly waiting: number;
  readonly oldest_waiting_at: Date | null;
  readonly running: number;
  /** Live workers. */
  readonly workers: number;
}

export type CurrentLoad = Omit<QueueSample, 'at'>;

/**
 * The samples of a part of a period. A part has no bucket if it has no samples, because no execution waited or ran and
 * no worker was connected, or because no dispatcher was running.
 */
export interface LoadBucket {
  readonly at: Date;
  readonly waiting_max: number;
  readonly oldest_wait_seconds_max: number;
  readonly running_max: number;
  readonly workers_min: number;
}

export interface LoadSeries {
  readonly from: Date;
  readonly to: Date;
  readonly bucket_seconds: number;
  readonly buckets: readonly LoadBucket[];
}

export interface LoadSeriesRequest {
  readonly from?: Date;
  readonly to?: Date;
  readonly bucketSeconds?: number;
  /** Default: all queues together. */
  readonly queueId?: string;
}
