import { MetricSource, type Gauge, type Reading } from '@app/metrics';
import { Injectable } from '@nestjs/common';
import { WorkerRepository } from './worker.repository.js';

const WORKERS = 'platform_workers';
const STATUSES = ['active', 'idle', 'busy', 'stale'] as const;

@Injectable()
export class WorkerMetrics extends MetricSource {
  override readonly gauges: readonly Gauge[] = [
    {
      name: WORKERS,
      help: 'Workers by status, without disconnected workers and those that have been stale for a minute or more',
      label: 'status',
    },
  ];

  constructor(private readonly workers: WorkerRepository) {
    super();
  }

  override async read(): Promise<readonly Reading[]> {
    const counts = await this.workers.countByStatus();
    return STATUSES.map((status) => ({ name: WORKERS, of: status, value: counts.get(status) ?? 0 }));
  }
}
