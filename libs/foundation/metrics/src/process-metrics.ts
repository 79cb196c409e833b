import { collectDefaultMetrics, Counter, Histogram, Registry } from 'prom-client';
import {
  addComputedCounter,
  addComputedHistogram,
  type ComputedMetric,
  type HistogramSample,
} from './computed-metric.js';

/**
 * Metrics of this process. Code that counts declares its metric next to its logger, at module level. Values of other
 * processes or of a store come from a `MetricSource` instead, which is read when metrics are requested.
 */
export const processRegistry = new Registry();

/** The values of a label: a closed list, so that the number of series is known. */
type LabelValues = Readonly<Record<string, readonly string[]>>;

/** Declares a counter, with a series of value 0 for each value of its label. */
export function createCounter<Labels extends LabelValues = LabelValues>(
  name: string,
  help: string,
  labels?: Labels,
): Counter<Extract<keyof Labels, string>> {
  const labelNames = Object.keys(labels ?? {}) as Extract<keyof Labels, string>[];
  if (labelNames.length > 1) throw new Error(`${name}: a counter has at most one label`);
  const counter = new Counter({ name, help, labelNames, registers: [processRegistry] });
  for (const label of labelNames) {
    for (const value of labels?.[label] ?? []) counter.inc({ [label]: value } as Record<typeof label, string>, 0);
  }
  return counter;
}

/** Declares a histogram without labels. `buckets` are upper bounds, in the unit of the name. */
export function createHistogram(name: string, help: string, buckets: readonly number[]): Histogram {
  return new Histogram({ name, help, buckets: [...buckets], registers: [processRegistry] });
}

/** Adds a counter with computed samples to the metrics of the process. */
export function registerComputedCounter(metric: ComputedMetric): void {
  addComputedCounter(processRegistry, metric);
}

/** Adds a histogram with computed samples to the metrics of the process. */
export function registerComputedHistogram(metric: Omit<ComputedMetric<HistogramSample>, 'labelNames'>): void {
  addComputedHistogram(processRegistry, metric);
}

let isCollecting = false;

/** Adds the metrics of the runtime: memory, CPU, garbage collection and the delay of the event loop. */
export function collectRuntimeMetrics(): void {
  if (isCollecting) return;
  isCollecting = true;
  collectDefaultMetrics({ register: processRegistry });
}
