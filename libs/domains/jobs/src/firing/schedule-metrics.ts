import { MetricSource, type Gauge, type Reading } from '@app/metrics';
import { Injectable } from '@nestjs/common';
import { JobInstantRepository } from './job-instant.repository.js';

const DUE = 'platform_schedule_due_instants';
const LAG = 'platform_schedule_lag_seconds';

@Injectable()
export class ScheduleMetrics extends MetricSource {
  override readonly gauges: readonly Gauge[] = [
    { name: DUE, help: 'Due instants of schedules that have not been started, counted up to 10,000' },
    { name: LAG, help: 'Delay of the oldest due instant that has not been started' },
  ];

  constructor(private readonly instants: JobInstantRepository) {
    super();
  }

  override async read(): Promise<readonly Reading[]> {
    const { due, lag_seconds } = await this.instants.lag();
    return [
      { name: DUE, value: due },
      { name: LAG, value: lag_seconds },
    ];
  }
}
