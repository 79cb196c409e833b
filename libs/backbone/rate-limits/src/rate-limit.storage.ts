import { RedisConnections } from '@app/redis';
import { Clock } from '@app/kernel';
import { createCounter } from '@app/metrics';
import { createLogger } from '@app/observability';
import { Injectable } from '@nestjs/common';
import { BrokenCircuitError, circuitBreaker, ConsecutiveBreaker, handleAll } from 'cockatiel';
import { LocalWindows } from './local-windows.js';
import { defineCharge } from './sliding-windows.script.js';
import type { WindowVerdict, Window } from './windows.js';

/** Pause after a failure, in milliseconds, after which one request tries Redis again. */
const PROBE_AFTER_MS = 1000;

const localDecisions = createCounter(
  'platform_rate_limit_local_decisions_total',
  'Requests that this process counted alone because Redis failed',
);

/**
 * Counts requests in sliding windows that all processes share. While Redis fails, each process counts alone instead of
 * accepting or rejecting all requests.
 */
@Injectable()
export class RateLimitStorage {
  private readonly logger = createLogger('rate-limits');
  private readonly shared: (key: string, windows: readonly Window[]) => Promise<WindowVerdict>;
  private readonly local: LocalWindows;
  private readonly breaker = circuitBreaker(handleAll, {
    halfOpenAfter: PROBE_AFTER_MS,
    breaker: new ConsecutiveBreaker(1),
  });
  private decidedLocally = 0;

  constructor(redis: RedisConnections, clock: Clock) {
    this.shared = defineCharge(redis.commands);
    this.local = new LocalWindows(clock);
    this.breaker.onReset(() => {
      this.logger.info(
        { requests: this.decidedLocally },
        'Redis responds: requests are counted for all processes again',
      );
    });
  }

  /** Number of requests that this process has counted alone. */
  get localDecisions(): number {
    return this.decidedLocally;
  }

  /** Counts a request of the key `name` in all windows, or in none if one of them is full. */
  async charge(name: string, windows: readonly Window[]): Promise<WindowVerdict> {
    try {
      return await this.breaker.execute(() => this.shared(`rate-limit:{${name}}`, windows));
    } catch (error) {
      if (!(error instanceof BrokenCircuitError)) {
        this.logger.warn({ reason: (error as Error).message }, 'Redis failed: this process counts requests alone');
      }
      this.decidedLocally += 1;
      localDecisions.inc();
      return this.local.charge(name, windows);
    }
  }
}
