import { WorkerQueueService } from '@app/environments';
import { periodOf, planSeries } from '@app/executions';
import { Clock, type Scope } from '@app/kernel';
import { Injectable } from '@nestjs/common';
import { QueueSampleRepository } from './queue-sample.repository.js';
import type { LoadSeries, LoadSeriesRequest } from './queue-sample.types.js';

/** Retention of samples in days, which is also the longest period of a series. */
export const KEPT_DAYS = 8;

/** The load of worker queues over time. */
@Injectable()
export class QueueSeriesService {
  constructor(
    private readonly samples: QueueSampleRepository,
    private readonly queues: WorkerQueueService,
    private readonly clock: Clock,
  ) {}

  /** Returns every bucket of the period, which is extended to whole buckets. Throws `not_found` for an unknown queue. */
  async read(scope: Scope, { queueId, bucketSeconds, ...requested }: LoadSeriesRequest): Promise<LoadSeries> {
    const now = this.clock.now();
    const plan = planSeries(periodOf(requested, now, KEPT_DAYS), bucketSeconds, now);
    if (queueId !== undefined) await this.queues.read(scope, queueId);
    const rows = await this.samples.buckets(scope, queueId, plan);
    const byTime = new Map(rows.map((row) => [row.at.getTime(), row]));
    const size = plan.bucketSeconds * 1000;
    const count = Math.round((plan.to.getTime() - plan.from.getTime()) / size);
    const buckets = Array.from({ length: count }, (_bucket, index) => {
      const at = new Date(plan.from.getTime() + index * size);
      return byTime.get(at.getTime()) ?? { at, ...NO_SAMPLES };
    });
    return { from: plan.from, to: plan.to, bucket_seconds: plan.bucketSeconds, buckets };
  }
}

const NO_SAMPLES = { waiting_max: 0, oldest_wait_seconds_max: 0, running_max: 0, workers_min: 0 };
