import { RedisConnections } from '@app/redis';
import { Clock, newId } from '@app/kernel';
import { Injectable } from '@nestjs/common';
import { timeout, TimeoutStrategy } from 'cockatiel';
import type { EventProviderName } from './event-provider.js';
import { EventProviders } from './event-providers.js';

const PROBE_LIMIT_MS = 1000;
const CACHE_MS = 1000;

export interface ProviderHealth {
  readonly enabled: boolean;
  /** `null` if the provider is not enabled. */
  readonly healthy: boolean | null;
  readonly status: 'healthy' | 'unhealthy' | 'disabled';
  /** Duration of the round trip in milliseconds; `null` if there was none. */
  readonly latency_ms: number | null;
}

export interface BusHealth {
  /** `unhealthy` if Redis fails, which streams require; `degraded` if another enabled provider fails. */
  readonly status: 'healthy' | 'degraded' | 'unhealthy';
  readonly providers: Readonly<Record<EventProviderName, ProviderHealth>>;
  readonly timestamp: Date;
}

const DISABLED: ProviderHealth = { enabled: false, healthy: null, status: 'disabled', latency_ms: null };

/** Probes every enabled provider with a real round trip. For Redis, a published message must be received. */
@Injectable()
export class EventBusHealth {
  private latest: { readonly since: number; readonly health: Promise<BusHealth> } | undefined;
  private readonly channel = `events:probe:${newId()}`;
  private listening: Promise<void> | undefined;
  private awaited: { readonly token: string; readonly arrived: () => void } | undefined;

  constructor(
    private readonly connections: RedisConnections,
    private readonly clock: Clock,
    private readonly registered: EventProviders,
  ) {}

  /** Resolves within about a second. Calls within the same second share one probe. */
  check(): Promise<BusHealth> {
    if (this.latest === undefined || performance.now() - this.latest.since > CACHE_MS) {
      this.latest = { since: performance.now(), health: this.probeAll() };
    }
    return this.latest.health;
  }

  private async probeAll(): Promise<BusHealth> {
    const probed = await Promise.all([
      this.probe(() => this.echo()).then((health) => ({ redis: health })),
      ...this.registered.enabled.map(async (provider) => ({
        [provider.name]: await this.probe(() => provider.probe()),
      })),
    ]);
    const disabled = { redis: DISABLED, http: DISABLED, websocket: DISABLED, nats: DISABLED };
    const providers: BusHealth['providers'] = Object.assign(disabled, ...probed);
    return { status: overall(providers), providers, timestamp: this.clock.now() };
  }

  private async probe(roundTrip: () => Promise<unknown>): Promise<ProviderHealth> {
    const startedAt = performance.now();
    const healthy = await timeout(PROBE_LIMIT_MS, TimeoutStrategy.Aggressive)
      .execute(roundTrip)
      .then(
        () => true,
        () => false,
      );
    const latency = Math.round((performance.now() - startedAt) * 100) / 100;
    return { enabled: true, healthy, status: healthy ? 'healthy' : 'unhealthy', latency_ms: healthy ? latency : null };
  }

  private async echo(): Promise<void> {
    await this.listen();
    const token = newId();
    const arrived = new Promise<void>((resolve) => {
      this.awaited = { token, arrived: resolve };
    });
    await this.connections.commands.publish(this.channel, token);
    await arrived;
  }

  /** The subscription stays open. `Subscriptions` restores it after a rejection or a lost connection. */
  private listen(): Promise<void> {
    this.listening ??= this.connections.subscriptions.open(this.channel, {
      onMessage: (message) => {
        if (message.toString() === this.awaited?.token) this.awaited.arrived();
      },
    });
    return this.listening;
  }
}

function overall(providers: BusHealth['providers']): BusHealth['status'] {
  if (providers.redis.healthy !== true) return 'unhealthy';
  return Object.values(providers).every((provider) => !provider.enabled || provider.healthy === true)
    ? 'healthy'
    : 'degraded';
}
