import { HttpProblem, type WireRequest } from '@app/http';
import type { Caller, RateLimits } from '@app/kernel';
import { Injectable, type ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import {
  InjectThrottlerOptions,
  InjectThrottlerStorage,
  ThrottlerGuard,
  type ThrottlerModuleOptions,
} from '@nestjs/throttler';
import { limitHeaders, statesOf } from './limit-headers.js';
import { RateLimitStorage } from './rate-limit.storage.js';
import type { Window } from './windows.js';

/** The property of a key's own limits for each window. */
const OWN_LIMIT: Readonly<Record<string, keyof RateLimits>> = { burst: 'burst', minute: 'per_minute', day: 'per_day' };

/**
 * Counts each request with a key in all windows of the key at once. Runs after the key guard, which has limited
 * requests with unknown keys, and before the scope guard, so that rejected requests count.
 */
@Injectable()
export class RateLimitGuard extends ThrottlerGuard {
  constructor(
    @InjectThrottlerOptions() options: ThrottlerModuleOptions,
    @InjectThrottlerStorage() private readonly storage: RateLimitStorage,
    reflector: Reflector,
  ) {
    super(options, storage, reflector);
  }

  override async canActivate(context: ExecutionContext): Promise<boolean> {
    const { req, res } = this.getRequestResponse(context);
    const { caller } = req as WireRequest;
    if (caller === undefined) return true;
    const verdict = await this.storage.charge(caller.keyId, this.windowsOf(caller));
    for (const [name, value] of Object.entries(limitHeaders(statesOf(verdict)))) {
      this.setResponseHeader(res, name, value);
    }
    if (verdict.admitted) return true;
    const seconds = Math.ceil(verdict.waitMs / 1000);
    const msg = `This API key has used up its requests: retry in ${seconds} ${seconds === 1 ? 'second' : 'seconds'}`;
    throw new HttpProblem('rate_limited', msg, verdict.waitMs);
  }

  private windowsOf({ rateLimits }: Caller): Window[] {
    return this.throttlers.map(({ name, ttl, limit }) => {
      const field = OWN_LIMIT[name ?? ''];
      const own = field === undefined ? null : rateLimits?.[field];
      return { lengthMs: Number(ttl), limit: own ?? Number(limit) };
    });
  }
}
