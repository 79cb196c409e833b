import { RedisConnections } from '@app/redis';
import { Database } from '@app/database';
import { VERSION } from '@app/kernel';
import { Injectable, type BeforeApplicationShutdown } from '@nestjs/common';
import { timeout, TimeoutStrategy } from 'cockatiel';
import type { HealthResponse } from './health.response.dto.js';

const PROBE_TIMEOUT_MS = 1000;
const CACHE_MS = 1000;
const QUEUE_PROBE_KEY = 'health:queue-probe';

/** The state of each dependency, by name. */
type Checks = Readonly<Record<string, boolean>>;

@Injectable()
export class Readiness implements BeforeApplicationShutdown {
  private draining = false;
  private held = false;
  private latest: { readonly since: number; readonly checks: Promise<Checks> } | undefined;

  constructor(
    private readonly database: Database,
    private readonly redis: RedisConnections,
  ) {}

  /** From now on the readiness check fails, so that load balancers send no new requests; running requests continue. */
  leave(): void {
    this.draining = true;
  }

  /** Until `release`, the readiness check fails: other processes of the server do not listen yet. */
  hold(): void {
    this.held = true;
  }

  release(): void {
    this.held = false;
  }

  beforeApplicationShutdown(): void {
    this.leave();
  }

  async check(): Promise<HealthResponse> {
    const checks = await this.probe();
    const ready = Object.values(checks).every(Boolean) && !this.draining && !this.held;
    return {
      status: ready ? 'ok' : 'unavailable',
      version: VERSION,
      checks: Object.fromEntries(Object.entries(checks).map(([name, up]) => [name, up ? 'up' : 'down'])),
    };
  }

  /** Calls within a second share one round trip to each dependency, because anybody can call the public route. */
  private probe(): Promise<Checks> {
    if (this.latest === undefined || performance.now() - this.latest.since > CACHE_MS) {
      this.latest = { since: performance.now(), checks: this.probeAll() };
    }
    return this.latest.checks;
  }

  private async probeAll(): Promise<Checks> {
    const [postgres, writes, redis, queue, migrations] = await Promise.all([
      succeeds(() => this.database.ping()),
      succeeds(() => this.database.checkWrites()),
      succeeds(() => this.redis.commands.ping()),
      // Writes a key instead of sending PING: a Redis server that is full, or that is a replica, responds to PING but
      // accepts no message.
      succeeds(() => this.redis.forQueues.set(QUEUE_PROBE_KEY, '', 'PX', PROBE_TIMEOUT_MS)),
      succeeds(() => this.database.checkMigrations()),
    ]);
    return { postgres, writes, redis, queue, migrations };
  }
}

/** Returns false if the probe rejects or does not resolve in time. */
function succeeds(probe: () => Promise<unknown>): Promise<boolean> {
  return timeout(PROBE_TIMEOUT_MS, TimeoutStrategy.Aggressive)
    .execute(probe)
    .then(
      () => true,
      () => false,
    );
}
