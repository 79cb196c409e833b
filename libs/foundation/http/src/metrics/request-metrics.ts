import type { ServerResponse } from 'node:http';
import {
  registerComputedCounter,
  registerComputedHistogram,
  type ComputedSample,
  type HistogramSample,
} from '@app/metrics';

/** Upper bounds of the durations, in seconds. Waiting polls and streams are in the last buckets. */
const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30] as const;
/** Methods with their own series. All other methods share the series `OTHER`. */
const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);
const OTHER = 'OTHER';
/** The route of requests that no route matches. */
const UNMATCHED = 'unmatched';
/** The status of requests that became a WebSocket. Their duration is that of the connection. */
const SWITCHED = 101;
/** The status of requests whose client disconnected before the response. */
const CLIENT_LEFT = 499;

/**
 * Counts the requests of one method and route in plain numbers, because the hot routes respond within microseconds. The
 * counts become labeled series when the metrics are read.
 */
export class RouteMetrics {
  private readonly byStatus = new Map<number, number>();
  private readonly buckets = new Float64Array(BUCKETS.length);
  private seconds = 0;
  private requests = 0;

  constructor(
    private readonly method: string,
    private readonly route: string,
  ) {}

  /** @param startedAt the value of `performance.now()` when the request began */
  observe(status: number, startedAt: number): void {
    const seconds = (performance.now() - startedAt) / 1000;
    this.byStatus.set(status, (this.byStatus.get(status) ?? 0) + 1);
    this.requests += 1;
    this.seconds += seconds;
    for (let bucket = 0; bucket < BUCKETS.length; bucket += 1) {
      if (seconds <= (BUCKETS[bucket] ?? 0)) {
        this.buckets[bucket] = (this.buckets[bucket] ?? 0) + 1;
        return;
      }
    }
  }

  counts(): ComputedSample[] {
    return [...this.byStatus].map(([status, value]) => ({ value, labels: { ...this.labels, status } }));
  }

  durations(): HistogramSample[] {
    const { labels, requests } = this;
    const series = (suffix: string, value: number, le: Record<string, string | number> = {}): HistogramSample => ({
      metricName: `${DURATION}_${suffix}`,
      labels: { ...le, ...labels },
      value,
    });
    let upTo = 0;
    const buckets = BUCKETS.map((le, bucket) => series('bucket', (upTo += this.buckets[bucket] ?? 0), { le }));
    return [
      ...buckets,
      series('bucket', requests, { le: '+Inf' }),
      series('sum', this.seconds),
      series('count', requests),
    ];
  }

  private get labels(): Record<string, string> {
    return { method: this.method, route: this.route };
  }
}

const DURATION = 'http_request_duration_seconds';

/** By route, then by method. Routes are the templates that the code declares, so their number is fixed. */
const known = new Map<string, Map<string, RouteMetrics>>();

/** @param route the template, such as `/api/v1/jobs/:job_id` */
export function metricsOf(method: string, route: string): RouteMetrics {
  const name = METHODS.has(method) ? method : OTHER;
  const byMethod = known.get(route) ?? new Map<string, RouteMetrics>();
  const metrics = byMethod.get(name) ?? new RouteMetrics(name, route);
  known.set(route, byMethod.set(name, metrics));
  return metrics;
}

/** Counts a request that Express has served. */
export function observeOrdinary(
  request: { readonly method?: string | undefined; readonly route?: { readonly path?: unknown } | undefined },
  response: ServerResponse,
  startedAt: number,
): void {
  const path = request.route?.path;
  const status = response.headersSent || response.statusCode === SWITCHED ? response.statusCode : CLIENT_LEFT;
  metricsOf(request.method ?? OTHER, typeof path === 'string' ? path : UNMATCHED).observe(status, startedAt);
}

function all<Sample>(read: (metrics: RouteMetrics) => Sample[]): Sample[] {
  return [...known.values()].flatMap((byMethod) => [...byMethod.values()].flatMap(read));
}

registerComputedCounter({
  name: 'http_requests_total',
  help: 'Requests by method, route and status; 499: the client disconnected before the response',
  labelNames: ['method', 'route', 'status'],
  read: () => all((metrics) => metrics.counts()),
});
registerComputedHistogram({
  name: DURATION,
  help: 'Duration of requests in seconds, by method and route',
  read: () => all((metrics) => metrics.durations()),
});
