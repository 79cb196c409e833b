import { Module } from '@nestjs/common';
import { AnalyticsSummaryRepository } from './analytics-summary.repository.js';
import { ExecutionAnalyticsRepository } from './execution-analytics.repository.js';
import { ExecutionAnalyticsService } from './execution-analytics.service.js';

@Module({
  providers: [AnalyticsSummaryRepository, ExecutionAnalyticsRepository, ExecutionAnalyticsService],
  exports: [ExecutionAnalyticsService],
})
export class AnalyticsModule {}
