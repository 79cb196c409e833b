import { discoverProviders } from '@app/discovery';
import { createLogger } from '@app/observability';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { timeout, TimeoutStrategy } from 'cockatiel';
import { Registry } from 'prom-client';
import { addComputedGauge, type ComputedSample } from './computed-metric.js';
import { MetricSource, type Reading } from './metric-source.js';
import { collectRuntimeMetrics, createCounter, processRegistry } from './process-metrics.js';

/** Time limit of one source. Its gauges are missing if it needs longer. */
const READ_LIMIT_MS = 1000;
/** Requests within this time share one response, because the route is public and the sources read the stores. */
const CACHE_MS = 1000;
/** Maximum number of series of one gauge. */
const MAX_SERIES = 500;

const failures = createCounter(
  'platform_metric_source_failures_total',
  'Reads of a group of gauges that failed or took too long',
);

/** Renders the metrics of the process and the gauges of every `MetricSource` that the application provides. */
@Injectable()
export class Metrics implements OnModuleInit {
  private readonly logger = createLogger('metrics');
  private readonly gauges = new Registry();
  /** The latest readings of each source. */
  private readonly readings = new Map<MetricSource, readonly Reading[]>();
  /**
   * Reads that have not ended, including those that exceeded the time limit, so that a slow store gets no second read
   * meanwhile.
   */
  private readonly pending = new Map<MetricSource, Promise<readonly Reading[]>>();
  private latest: { readonly since: number; readonly text: Promise<string> } | undefined;

  constructor(private readonly discovery: DiscoveryService) {}

  onModuleInit(): void {
    collectRuntimeMetrics();
    for (const source of discoverProviders(this.discovery, MetricSource)) this.register(source);
  }

  readonly contentType: string = processRegistry.contentType;

  /** Returns the metrics in the text format of Prometheus. Resolves within about a second. */
  render(): Promise<string> {
    if (this.latest === undefined || performance.now() - this.latest.since > CACHE_MS) {
      this.latest = { since: performance.now(), text: this.renderNow() };
    }
    return this.latest.text;
  }

  private async renderNow(): Promise<string> {
    await Promise.all(
      [...this.readings.keys()].map(async (source) => this.readings.set(source, await this.read(source))),
    );
    const parts = await Promise.all([processRegistry.metrics(), this.gauges.metrics()]);
    return parts.join('\n');
  }

  private register(source: MetricSource): void {
    this.readings.set(source, []);
    for (const { name, help, label } of source.gauges) {
      const read = (): ComputedSample[] => samplesOf(this.readings.get(source) ?? [], name, label);
      addComputedGauge(this.gauges, { name, help, labelNames: label === undefined ? [] : [label], read });
    }
  }

  private async read(source: MetricSource): Promise<readonly Reading[]> {
    try {
      return await timeout(READ_LIMIT_MS, TimeoutStrategy.Aggressive).execute(() => this.readOnce(source));
    } catch (error) {
      failures.inc();
      this.logger.debug({ err: error, source: source.constructor.name }, 'gauges not read');
      return [];
    }
  }

  private readOnce(source: MetricSource): Promise<readonly Reading[]> {
    const pending = this.pending.get(source);
    if (pending !== undefined) return pending;
    const reading = source.read().finally(() => this.pending.delete(source));
    this.pending.set(source, reading);
    return reading;
  }
}

function samplesOf(readings: readonly Reading[], name: string, label: string | undefined): ComputedSample[] {
  const own = readings.filter((reading) => reading.name === name && Number.isFinite(reading.value));
  return own
    .slice(0, MAX_SERIES)
    .map(({ value, of }) => ({ value, labels: label === undefined ? {} : { [label]: of ?? '' } }));
}
