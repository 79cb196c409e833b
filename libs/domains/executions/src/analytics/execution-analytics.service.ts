import { Clock, type Scope } from '@app/kernel';
import { Injectable } from '@nestjs/common';
import type {
  AnalyticsFilter,
  AnalyticsSummary,
  FailureGroup,
  Failures,
  RequestedPeriod,
  Series,
  AnalyticsSummaryFilter,
} from './analytics.types.js';
import { ExecutionAnalyticsRepository, type CauseRow } from './execution-analytics.repository.js';
import { failureKind, failureTitle } from '../executions/failure-cause.js';
import { periodOf } from './period.js';
import { toAnalyticsSummary } from './analytics-summary.js';
import { AnalyticsSummaryRepository } from './analytics-summary.repository.js';
import { fillSeries, planSeries } from './series.js';

const MAX_FAILURE_DAYS = 7;
const MAX_SERIES_DAYS = 92;
const EXAMPLE_LENGTH = 300;

/** Statistics on the executions of an organization in a period. */
@Injectable()
export class ExecutionAnalyticsService {
  constructor(
    private readonly analytics: ExecutionAnalyticsRepository,
    private readonly summaries: AnalyticsSummaryRepository,
    private readonly clock: Clock,
  ) {}

  /**
   * Returns the totals of the executions and records created in a period, or of one execution. Exact, except for
   * percentiles. Includes deleted executions and records, except those created in an hour that the period covers only
   * in part.
   */
  async summary(scope: Scope, filter: AnalyticsSummaryFilter): Promise<AnalyticsSummary> {
    return toAnalyticsSummary(await this.summaries.read(scope, filter));
  }

  /**
   * Returns how many executions started and ended in each bucket of a period of at most 92 days. Counts are exact and
   * include every committed execution, also deleted ones; percentiles deviate by at most 2 % or 1 ms.
   */
  async series(
    scope: Scope,
    requested: RequestedPeriod & { readonly bucketSeconds?: number },
    filter: AnalyticsFilter,
  ): Promise<Series> {
    const now = this.clock.now();
    const plan = planSeries(periodOf(requested, now, MAX_SERIES_DAYS), requested.bucketSeconds, now);
    const { from, to, bucketSeconds } = plan;
    return { from, to, bucketSeconds, buckets: fillSeries(plan, await this.analytics.series(scope, plan, filter)) };
  }

  /**
   * Returns the executions that failed in a period of at most 7 days, by cause. Deleted executions are not included.
   */
  async failures(scope: Scope, requested: RequestedPeriod, filter: AnalyticsFilter, limit: number): Promise<Failures> {
    const period = periodOf(requested, this.clock.now(), MAX_FAILURE_DAYS);
    const rows = await this.analytics.failures(scope, period, filter, limit);
    const { failed = 0, failed_before = 0 } = rows[0] ?? {};
    return {
      ...period,
      failed,
      failed_before,
      groups: rows.flatMap((row) => (row.cause === null ? [] : toGroup(row))),
    };
  }
}

function toGroup({ failed: _failed, failed_before: _before, error_message: message, ...row }: CauseRow): FailureGroup {
  const example = message === null ? null : [...message].slice(0, EXAMPLE_LENGTH).join('');
  return { ...row, kind: failureKind(message), title: failureTitle(message), example };
}
