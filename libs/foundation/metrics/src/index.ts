export type { ComputedSample, HistogramSample } from './computed-metric.js';
export { MetricSource, type Gauge, type Reading } from './metric-source.js';
export { Metrics } from './metrics.js';
export { MetricsModule } from './metrics.module.js';
export {
  createCounter,
  createHistogram,
  registerComputedCounter,
  registerComputedHistogram,
} from './process-metrics.js';
