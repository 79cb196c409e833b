import { FairShareConfig } from '@app/config';
import { Clock, TokenBuckets } from '@app/kernel';
import { Injectable } from '@nestjs/common';

const MAX_ORGANIZATIONS = 10_000;

/**
 * The token buckets of the organizations, which limit their requests to this process. All instances of `FairShareGuard`
 * share them.
 */
@Injectable()
export class OrganizationShares {
  /** Undefined if there is no limit. */
  private readonly buckets: TokenBuckets | undefined;

  constructor({ perSecond, burst }: FairShareConfig, clock: Clock) {
    const size = { perSecond, burst, maxBuckets: MAX_ORGANIZATIONS };
    this.buckets = perSecond === 0 ? undefined : new TokenBuckets(clock, size);
  }

  /**
   * Takes a token for a request and returns 0. If there is none, returns the milliseconds after which another attempt
   * can succeed.
   */
  take(organizationId: string): number {
    return this.buckets?.take(organizationId) ?? 0;
  }
}
