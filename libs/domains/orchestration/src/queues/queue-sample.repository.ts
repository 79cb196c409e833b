import { Database } from '@app/database';
import type { Scope } from '@app/kernel';
import { Injectable } from '@nestjs/common';
import { INSERT_SAMPLES, PRUNE_SAMPLES, READ_BUCKETS } from './queue-sample.sql.js';
import type { CurrentLoad, LoadBucket } from './queue-sample.types.js';

/** Samples of all organizations, taken by dispatchers. */
@Injectable()
export class QueueSampleRepository {
  constructor(private readonly database: Database) {}

  /** Stores the current load of all queues, unless another dispatcher has stored it for this time. */
  async insert(loads: readonly CurrentLoad[]): Promise<void> {
    await this.database.sql(INSERT_SAMPLES, [
      loads.map(({ organization_id }) => organization_id),
      loads.map(({ worker_queue_id }) => worker_queue_id),
      loads.map(({ waiting }) => waiting),
      loads.map(({ oldest_waiting_at }) => oldest_waiting_at),
      loads.map(({ running }) => running),
      loads.map(({ workers }) => workers),
    ]);
  }

  /** Returns the buckets with samples of a queue, or of all queues together. */
  async buckets(
    { organizationId }: Scope,
    queueId: string | undefined,
    { from, to, bucketSeconds }: { readonly from: Date; readonly to: Date; readonly bucketSeconds: number },
  ): Promise<LoadBucket[]> {
    const values = [organizationId, queueId ?? '', from, to, bucketSeconds];
    return this.database.sql<LoadBucket>(READ_BUCKETS, values);
  }

  /** Deletes up to `limit` samples that are older than a number of days. Returns their number. */
  async prune(days: number, limit: number): Promise<number> {
    return (await this.database.sql(PRUNE_SAMPLES, [days, limit])).length;
  }
}
