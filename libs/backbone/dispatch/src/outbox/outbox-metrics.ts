import { MetricSource, type Gauge, type Reading } from '@app/metrics';
import { Injectable } from '@nestjs/common';
import { OutboxRepository } from './outbox.repository.js';

const ROWS = 'platform_outbox_messages';
const LAG = 'platform_outbox_oldest_seconds';

@Injectable()
export class OutboxMetrics extends MetricSource {
  override readonly gauges: readonly Gauge[] = [
    { name: ROWS, help: 'Messages of the outbox that are not handled yet, counted up to 10,000' },
    { name: LAG, help: 'Age of the oldest message of the outbox' },
  ];

  constructor(private readonly messages: OutboxRepository) {
    super();
  }

  override async read(): Promise<readonly Reading[]> {
    const { rows, oldest_seconds } = await this.messages.backlog();
    return [
      { name: ROWS, value: rows },
      { name: LAG, value: oldest_seconds },
    ];
  }
}
