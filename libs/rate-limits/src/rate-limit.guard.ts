import { HttpProblem, type WireRequest } from '@app/http';
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

/**
 * Counts each request with a key in all windows of the key at once. Runs after the key guard, which has limited
 * requests with unknown keys, and before the scope guard, so that refused requests count.
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
    const verdict = await this.storage.charge(caller.keyId, this.windows());
    for (const [name, value] of Object.entries(limitHeaders(statesOf(verdict)))) {
      this.setResponseHeader(res, name, value);
    }
    if (verdict.admitted) return true;
    const seconds = Math.ceil(verdict.waitMs / 1000);
    const msg = `This API key has used up its requests: retry in ${seconds} ${seconds === 1 ? 'second' : 'seconds'}`;
    throw new HttpProblem('rate_limited', msg, verdict.waitMs);
  }

  private windows(): Window[] {
    return this.throttlers.map(({ ttl, limit }) => ({ lengthMs: Number(ttl), limit: Number(limit) }));
  }
}
