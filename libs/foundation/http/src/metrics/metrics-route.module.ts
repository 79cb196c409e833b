import { MetricsModule } from '@app/metrics';
import { Module } from '@nestjs/common';
import { MetricsController } from './metrics.controller.js';
import { MetricsListener } from './metrics-listener.js';

@Module({ imports: [MetricsModule], controllers: [MetricsController], providers: [MetricsListener] })
export class MetricsRouteModule {}
