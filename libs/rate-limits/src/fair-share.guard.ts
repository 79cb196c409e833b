import { FairShareConfig } from '@app/config';
import { HttpProblem, type WireRequest } from '@app/http';
import { Clock, TokenBuckets } from '@app/kernel';
import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';

const MAX_ORGANIZATIONS = 10_000;

/** Limits the requests of an organization to this process, so that others are served while one sends too many. */
@Injectable()
export class FairShareGuard implements CanActivate {
  /** Undefined if there is no limit. */
  private readonly shares: TokenBuckets | undefined;

  constructor({ perSecond, burst }: FairShareConfig, clock: Clock) {
    const size = { perSecond, burst, maxBuckets: MAX_ORGANIZATIONS };
    this.shares = perSecond === 0 ? undefined : new TokenBuckets(clock, size);
  }

  canActivate(context: ExecutionContext): boolean {
    const { caller } = context.switchToHttp().getRequest<WireRequest>();
    const waitMs = caller === undefined ? 0 : (this.shares?.take(caller.organizationId) ?? 0);
    if (waitMs === 0) return true;
    throw new HttpProblem('rate_limited', 'The organization sends more requests than its share of this server', waitMs);
  }
}
