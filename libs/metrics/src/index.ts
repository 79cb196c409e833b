export type { ComputedSample } from './computed-metric.js';
export { MetricSource, type Gauge, type Reading } from './metric-source.js';
export { Metrics } from './metrics.js';
export { MetricsModule } from './metrics.module.js';
export { createCounter, createHistogram, registerComputed } from './process-metrics.js';
