import { MetricSource, type Gauge, type Reading } from '@app/metrics';
import { Injectable } from '@nestjs/common';
import { StreamBudget } from './stream-budget.js';
import { EventStream } from './event-stream.js';

const READERS = 'platform_stream_readers';
const QUEUED = 'platform_stream_queued_bytes';

@Injectable()
export class StreamMetrics extends MetricSource {
  override readonly gauges: readonly Gauge[] = [
    { name: READERS, help: 'Readers of event streams of this process' },
    { name: QUEUED, help: 'Bytes that the event streams of this process hold for their clients' },
  ];

  constructor(
    private readonly streams: EventStream,
    private readonly budget: StreamBudget,
  ) {
    super();
  }

  override read(): Promise<readonly Reading[]> {
    return Promise.resolve([
      { name: READERS, value: this.streams.readerCount },
      { name: QUEUED, value: this.budget.bytes },
    ]);
  }
}
