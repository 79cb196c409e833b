import { ModelsModule } from '@app/models';
import { Module } from '@nestjs/common';
import { UsagePricing } from './usage-pricing.js';

@Module({ imports: [ModelsModule], providers: [UsagePricing], exports: [UsagePricing] })
export class UsageModule {}
