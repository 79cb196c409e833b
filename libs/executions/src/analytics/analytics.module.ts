import { ModelsModule } from '@app/models';
import { Module } from '@nestjs/common';
import { AnalyticsSummaryRepository } from './analytics-summary.repository.js';
import { ExecutionAnalyticsRepository } from './execution-analytics.repository.js';
import { ExecutionAnalyticsService } from './execution-analytics.service.js';
import { UsagePricing } from './usage-pricing.js';

@Module({
  imports: [ModelsModule],
  providers: [AnalyticsSummaryRepository, ExecutionAnalyticsRepository, ExecutionAnalyticsService, UsagePricing],
  exports: [ExecutionAnalyticsService, UsagePricing],
})
export class AnalyticsModule {}
