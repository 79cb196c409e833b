import { MetricSource, type Gauge, type Reading } from '@app/metrics';
import { Injectable } from '@nestjs/common';
import { DeliveryRepository, type QueueWait } from './delivery.repository.js';

const WAITING = 'platform_queue_waiting_executions';
const OLDEST = 'platform_queue_oldest_waiting_seconds';
const LEASES = 'platform_leases';

/**
 * Maximum number of queues with their own series: those whose oldest execution has waited longest. All others share the
 * series `other`.
 */
const MAX_QUEUES = 100;
const OTHER = 'other';

@Injectable()
export class DeliveryMetrics extends MetricSource {
  override readonly gauges: readonly Gauge[] = [
    {
      name: WAITING,
      help: 'Executions that wait in a worker queue, by queue id, counted up to 10,000 per queue',
      label: 'queue',
    },
    { name: OLDEST, help: 'Age of the oldest execution that waits in a worker queue, by queue id', label: 'queue' },
    { name: LEASES, help: 'Executions that a worker holds, counted up to 100,000' },
  ];

  constructor(private readonly deliveries: DeliveryRepository) {
    super();
  }

  override async read(): Promise<readonly Reading[]> {
    const [queueIds, leases] = await Promise.all([this.deliveries.queuesWaitedIn(), this.deliveries.countLeases()]);
    const waits = (await this.deliveries.waitsIn(queueIds)).map(toWait).sort((one, other) => other.age - one.age);
    const rest = waits.slice(MAX_QUEUES);
    const others = {
      queue: OTHER,
      waiting: rest.reduce((sum, { waiting }) => sum + waiting, 0),
      age: rest[0]?.age ?? 0,
    };
    const shown = [...waits.slice(0, MAX_QUEUES), others];
    return [
      { name: LEASES, value: leases },
      ...shown.map(({ queue, waiting }) => ({ name: WAITING, of: queue, value: waiting })),
      ...shown.map(({ queue, age }) => ({ name: OLDEST, of: queue, value: age })),
    ];
  }
}

function toWait({ queue_id: queue, waiting, oldest_waiting_at: since, at }: QueueWait): {
  readonly queue: string;
  readonly waiting: number;
  /** Seconds. */
  readonly age: number;
} {
  const age = since === null ? 0 : Math.max(0, at.getTime() - since.getTime()) / 1000;
  return { queue, waiting, age };
}
