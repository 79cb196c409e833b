import { FairShareConfig, provideConfig, RateLimitConfig } from '@app/config';
import { RedisConnections } from '@app/connections';
import { Clock } from '@app/kernel';
import { Module } from '@nestjs/common';
import { ThrottlerModule, type ThrottlerModuleOptions } from '@nestjs/throttler';
import { defaultWindows } from './key-limits.js';
import { OrganizationShares } from './organization-shares.js';
import { RateLimitStorage } from './rate-limit.storage.js';

@Module({ providers: [provideConfig(RateLimitConfig)], exports: [RateLimitConfig] })
class RateLimitConfigModule {}

/** The providers that `RateLimitGuard` injects. Needs a `Clock` and `ConnectionsModule`. */
export const RateLimitsModule = ThrottlerModule.forRootAsync({
  imports: [RateLimitConfigModule],
  inject: [RateLimitConfig, RedisConnections, Clock],
  useFactory: (config: RateLimitConfig, redis: RedisConnections, clock: Clock): ThrottlerModuleOptions => {
    const windows = Object.entries(defaultWindows(config));
    const throttlers = windows.map(([name, { lengthMs, limit }]) => ({ name, ttl: lengthMs, limit }));
    return { throttlers, storage: new RateLimitStorage(redis, clock) };
  },
});

/** The providers that `FairShareGuard` injects. Needs a `Clock`. */
@Module({ providers: [provideConfig(FairShareConfig), OrganizationShares], exports: [OrganizationShares] })
export class FairShareModule {}
