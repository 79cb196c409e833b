import { FairShareConfig, loadConfig, provideConfig, RateLimitConfig } from '@app/config';
import { Module } from '@nestjs/common';
import { ThrottlerModule } from '@nestjs/throttler';
import { defaultWindows } from './key-limits.js';
import { OrganizationShares } from './organization-shares.js';
import { DEFAULT_WINDOWS } from './rate-limit.guard.js';
import { RateLimitStorage } from './rate-limit.storage.js';

/**
 * The providers that `RateLimitGuard` injects. Needs a `Clock` and `RedisModule`. The module of Nest knows only the
 * longest window of a key: the guard counts all of them at once.
 */
@Module({
  imports: [
    ThrottlerModule.forRootAsync({
      useFactory: () => {
        const { lengthMs, limit } = defaultWindows(loadConfig(RateLimitConfig)).day;
        return { throttlers: [{ name: 'key', ttl: lengthMs, limit }] };
      },
    }),
  ],
  providers: [
    provideConfig(RateLimitConfig),
    { provide: DEFAULT_WINDOWS, inject: [RateLimitConfig], useFactory: defaultWindows },
    RateLimitStorage,
  ],
  exports: [ThrottlerModule, DEFAULT_WINDOWS, RateLimitStorage],
})
export class RateLimitsModule {}

/** The providers that `FairShareGuard` injects. Needs a `Clock`. */
@Module({ providers: [provideConfig(FairShareConfig), OrganizationShares], exports: [OrganizationShares] })
export class FairShareModule {}
