import { FairShareConfig } from '@app/config';
import { HttpProblem } from '@app/http';
import { Clock, TokenBuckets } from '@app/kernel';
import { Injectable } from '@nestjs/common';

const MAX_ORGANIZATIONS = 10_000;

/**
 * Limits the requests of each organization to this process, so that other organizations are served while one sends too
 * many.
 */
@Injectable()
export class OrganizationShares {
  /** Undefined if there is no limit. */
  private readonly buckets: TokenBuckets | undefined;

  constructor({ perSecond, burst }: FairShareConfig, clock: Clock) {
    const size = { perSecond, burst, maxBuckets: MAX_ORGANIZATIONS };
    this.buckets = perSecond === 0 ? undefined : new TokenBuckets(clock, size);
  }

  /** Counts a request of the organization. Throws `rate_limited` if the organization has sent too many. */
  count(organizationId: string): void {
    const waitMs = this.buckets?.take(organizationId) ?? 0;
    if (waitMs === 0) return;
    throw new HttpProblem(
      'rate_limited',
      'The organization sends more requests than this server accepts from one organization',
      waitMs,
    );
  }
}
