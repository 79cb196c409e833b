import { Counter, Gauge, type Metric, type Registry } from 'prom-client';

export interface ComputedSample {
  readonly labels: Readonly<Record<string, string | number>>;
  readonly value: number;
}

/** A metric whose samples are computed when the metrics are read, because its values are counted or stored elsewhere. */
export interface ComputedMetric<Sample = ComputedSample> {
  readonly name: string;
  readonly help: string;
  readonly labelNames: readonly string[];
  readonly read: () => readonly Sample[];
}

export function addComputedGauge(registry: Registry, { read, ...metric }: ComputedMetric): void {
  const gauge = new Gauge({
    ...metric,
    registers: [],
    collect() {
      this.reset();
      // `reset` sets a gauge without labels to 0; without a sample it has no value.
      if (metric.labelNames.length === 0) this.remove();
      for (const { labels, value } of read()) this.set(labels, value);
    },
  });
  registry.registerMetric(gauge);
}

export function addComputedCounter(registry: Registry, { read, ...metric }: ComputedMetric): void {
  const counter = new Counter({
    ...metric,
    registers: [],
    collect() {
      this.reset();
      for (const { labels, value } of read()) this.inc(labels, value);
    },
  });
  registry.registerMetric(counter);
}

/** A sample of a histogram. */
export interface HistogramSample extends ComputedSample {
  /** The name of the metric with the suffix of the sample: `_bucket`, `_sum` or `_count`. */
  readonly metricName: string;
}

/**
 * The `Histogram` of the library can only observe single values. A registry calls only `get` of a metric, although its
 * type also requires the methods that change a value.
 */
export function addComputedHistogram(
  registry: Registry,
  { name, help, read }: Omit<ComputedMetric<HistogramSample>, 'labelNames'>,
): void {
  const type = 'histogram';
  const get = (): Promise<object> => Promise.resolve({ name, help, type, values: read() });
  registry.registerMetric({ name, help, type, get } as unknown as Metric);
}
