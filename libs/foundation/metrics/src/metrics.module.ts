import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { Metrics } from './metrics.js';

@Module({ imports: [DiscoveryModule], providers: [Metrics], exports: [Metrics] })
export class MetricsModule {}
