import { ExecutionsModule, RunnablesModule } from '@app/executions';
import { Module } from '@nestjs/common';
import { AnalyticsController } from './analytics.controller.js';
import { ExecutionAnalyticsController } from './execution-analytics.controller.js';
import { AnalyticsSummaryPresenter } from './analytics-summary.presenter.js';

@Module({
  imports: [ExecutionsModule, RunnablesModule],
  providers: [AnalyticsSummaryPresenter],
  controllers: [AnalyticsController, ExecutionAnalyticsController],
})
export class AnalyticsHttpModule {}
