import type { Metric, Registry } from 'prom-client';

/**
 * A metric whose samples are computed when the metrics are read: its values are counted in plain numbers, or stored
 * elsewhere.
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

/** Of a metric, a registry calls only `get`; its type requires the methods that change a value as well. */
export function addComputed(registry: Registry, { name, help, type, read }: ComputedMetric): void {
  const get = (): Promise<object> => Promise.resolve({ name, help, type, values: read() });
  registry.registerMetric({ name, help, type, get } as unknown as Metric);
}
