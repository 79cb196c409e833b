import { MetricSource, type Gauge, type Reading } from '@app/metrics';
import { Injectable } from '@nestjs/common';
import { EventStream } from './event-stream.js';

const READERS = 'platform_stream_readers';

@Injectable()
export class StreamMetrics extends MetricSource {
  override readonly gauges: readonly Gauge[] = [{ name: READERS, help: 'Readers of event streams of this process' }];

  constructor(private readonly streams: EventStream) {
    super();
  }

  override read(): Promise<readonly Reading[]> {
    return Promise.resolve([{ name: READERS, value: this.streams.readerCount }]);
  }
}
