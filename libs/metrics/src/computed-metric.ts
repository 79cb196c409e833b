import type { Metric, Registry } from 'prom-client';

/**
 * A metric whose samples are computed when the metrics are read, because its values are counted in plain numbers or
 * stored elsewhere.
 */
export interface ComputedMetric {
  readonly name: string;
  readonly help: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly read: () => readonly ComputedSample[];
}

export interface ComputedSample {
  readonly labels: Readonly<Record<string, string | number>>;
  readonly value: number;
  /** The name with the suffix of a sample of a histogram. Default: the name of the metric. */
  readonly metricName?: string;
}

/** A registry only calls `get` of a metric, although its type also requires the methods that change a value. */
export function addComputed(registry: Registry, { name, help, type, read }: ComputedMetric): void {
  const get = (): Promise<object> => Promise.resolve({ name, help, type, values: read() });
  registry.registerMetric({ name, help, type, get } as unknown as Metric);
}
