import { Clock, throttled, TokenBuckets } from '@app/kernel';
import { Injectable } from '@nestjs/common';

/**
 * Calls of one job from one address that are not verified (yet): at most `burst` at once, then `perSecond`. The burst
 * admits a sender that delivers many signed calls at once, because only calls without a valid signature stay counted.
 */
const UNVERIFIED = { burst: 500, perSecond: 50, maxBuckets: 10_000 };

/**
 * Limits the calls whose signature is missing or invalid. They must not count as requests of the organization: whoever
 * knows the token of a job could otherwise use up the share of its workers.
 */
@Injectable()
export class UnverifiedCalls {
  private readonly buckets: TokenBuckets;

  constructor(clock: Clock) {
    this.buckets = new TokenBuckets(clock, UNVERIFIED);
  }

  /** Counts a call. Throws `throttled` if the address has sent too many. */
  count(jobId: string, address: string): void {
    const waitMs = this.buckets.take(nameOf(jobId, address));
    if (waitMs === 0) return;
    throw throttled(
      'unknown_credentials_too_many',
      'Too many calls without a valid signature came from this address',
      waitMs,
    );
  }

  /** No longer counts a call, because its signature is valid. */
  verified(jobId: string, address: string): void {
    this.buckets.giveBack(nameOf(jobId, address));
  }
}

function nameOf(jobId: string, address: string): string {
  return `${jobId} ${address}`;
}
