import { ExecutionAnalyticsService } from '@app/executions';
import { CurrentCaller, LongRead, RequireScope, Returns, Summary } from '@app/http';
import { withoutUndefined, type Caller } from '@app/kernel';
import { Controller, Get, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { DEFAULT_CAUSES, FailuresQuery, SeriesQuery } from './dto/execution-analytics.request.dto.js';
import { FailuresResponse, SeriesResponse } from './dto/execution-analytics.response.dto.js';
import {
  toAnalyticsFilter,
  toFailuresResponse,
  toRequestedPeriod,
  toSeriesResponse,
} from './execution-analytics.mapper.js';

@ApiTags('analytics')
@Controller('api/v1/analytics/executions')
export class ExecutionAnalyticsController {
  constructor(private readonly analytics: ExecutionAnalyticsService) {}

  /**
   * The period has at most 92 days and is extended to whole buckets. Buckets below 900 seconds are kept for 14 days,
   * those below 21600 for 100 days. Executions that were deleted later are included.
   */
  @Get('series')
  @Summary('Returns how many executions started and ended in each part of a period, and how long they took.')
  @RequireScope('tasks:read')
  @LongRead()
  @Returns(SeriesResponse)
  async series(@CurrentCaller() caller: Caller, @Query() query: SeriesQuery): Promise<SeriesResponse> {
    const requested = { ...toRequestedPeriod(query), ...withoutUndefined({ bucketSeconds: query.bucket_seconds }) };
    return toSeriesResponse(await this.analytics.series(caller, requested, toAnalyticsFilter(query)));
  }

  /** The period has at most 7 days. */
  @Get('failures')
  @Summary('Returns the executions that failed in a period, by cause.')
  @RequireScope('tasks:read')
  @LongRead()
  @Returns(FailuresResponse)
  async failures(@CurrentCaller() caller: Caller, @Query() query: FailuresQuery): Promise<FailuresResponse> {
    const { limit = DEFAULT_CAUSES } = query;
    const filter = toAnalyticsFilter(query);
    return toFailuresResponse(await this.analytics.failures(caller, toRequestedPeriod(query), filter, limit));
  }
}
