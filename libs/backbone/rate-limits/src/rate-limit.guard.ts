import { HttpProblem, type WireRequest } from '@app/http';
import type { Caller } from '@app/kernel';
import { Inject, Injectable, type ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import {
  InjectThrottlerOptions,
  InjectThrottlerStorage,
  ThrottlerGuard,
  type ThrottlerModuleOptions,
  type ThrottlerRequest,
  type ThrottlerStorage,
} from '@nestjs/throttler';
import { limitHeaders, statesOf, type KeyWindows } from './limit-headers.js';
import { RateLimitStorage } from './rate-limit.storage.js';
import type { Window } from './windows.js';

/** Injection token of the `KeyWindows` of a key without its own limits. */
export const DEFAULT_WINDOWS = Symbol('the windows of a key without its own limits');

/**
 * Counts each request with a key in all windows of the key at once. Runs after the key guard, which has limited
 * requests with unknown keys, and before the scope guard, so that rejected requests count.
 *
 * `ThrottlerGuard` decides whether a request is counted (`shouldSkip`, `@SkipThrottle`) and calls `handleRequest` for its
 * one throttler. How it is counted is replaced, see docs/adr/0050-windows-of-a-key.md: `@Throttle` has no effect.
 */
@Injectable()
export class RateLimitGuard extends ThrottlerGuard {
  constructor(
    @InjectThrottlerOptions() options: ThrottlerModuleOptions,
    @InjectThrottlerStorage() unused: ThrottlerStorage,
    reflector: Reflector,
    @Inject(DEFAULT_WINDOWS) private readonly defaults: KeyWindows,
    private readonly storage: RateLimitStorage,
  ) {
    super(options, unused, reflector);
  }

  protected override shouldSkip(context: ExecutionContext): Promise<boolean> {
    const { caller } = context.switchToHttp().getRequest<WireRequest>();
    return Promise.resolve(caller === undefined);
  }

  protected override async handleRequest({ context }: ThrottlerRequest): Promise<boolean> {
    const { req, res } = this.getRequestResponse(context);
    const caller = (req as WireRequest).caller as Caller;
    const verdict = await this.storage.charge(caller.keyId, this.windowsOf(caller));
    for (const [name, value] of Object.entries(limitHeaders(statesOf(verdict)))) {
      this.setResponseHeader(res, name, value);
    }
    if (verdict.admitted) return true;
    const seconds = Math.ceil(verdict.waitMs / 1000);
    const msg = `This API key has used up its requests: retry in ${seconds} ${seconds === 1 ? 'second' : 'seconds'}`;
    throw new HttpProblem('rate_limited', msg, verdict.waitMs);
  }

  /** In the order of `KeyWindows`, which `statesOf` expects. */
  private windowsOf({ rateLimits }: Caller): Window[] {
    const { burst, minute, day } = this.defaults;
    return [
      { ...burst, limit: rateLimits?.burst ?? burst.limit },
      { ...minute, limit: rateLimits?.per_minute ?? minute.limit },
      { ...day, limit: rateLimits?.per_day ?? day.limit },
    ];
  }
}
