import { describe, expect, it } from '@jest/globals';
import { Injectable } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { eventually } from '@app/testing';
import { MetricSource, type Gauge, type Reading } from './metric-source.js';
import { MetricsModule } from './metrics.module.js';
import { Metrics } from './metrics.js';

@Injectable()
class SlowSource extends MetricSource {
  override readonly gauges: readonly Gauge[] = [{ name: 'test_slow', help: 'A value that takes long' }];
  readonly started: (() => void)[] = [];

  override read(): Promise<readonly Reading[]> {
    return new Promise((resolve) => this.started.push(() => resolve([{ name: 'test_slow', value: 7 }])));
  }
}

describe('metrics', () => {
  it('do not read a source again while its last read is running', async () => {
    const module = await Test.createTestingModule({ imports: [MetricsModule], providers: [SlowSource] }).compile();
    await module.init();
    const metrics = module.get(Metrics);
    const source = module.get(SlowSource);
    const first = await metrics.render();
    expect(first).not.toMatch(/^test_slow /m);
    let text = first;
    await eventually(async () => {
      text = await metrics.render();
      expect(text).not.toBe(first);
    });
    expect(source.started).toHaveLength(1);
    source.started[0]?.();
    await eventually(async () => {
      for (const end of source.started.slice(1)) end();
      expect(await metrics.render()).toMatch(/^test_slow 7$/m);
    });
    await module.close();
  });
});
