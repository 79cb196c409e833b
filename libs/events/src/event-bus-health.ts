import { RedisConnections } from '@app/connections';
import { Clock, newId } from '@app/kernel';
import { Injectable } from '@nestjs/common';

const PROBE_LIMIT_MS = 1000;
const CACHE_MS = 1000;

/** The ways in which events can leave the platform. */
type EventProvider = 'redis' | 'http' | 'websocket' | 'nats';

export interface ProviderHealth {
  readonly enabled: boolean;
  /** `null` where the provider is not enabled. */
  readonly healthy: boolean | null;
  readonly status: 'healthy' | 'unhealthy' | 'disabled';
  /** Of the round trip, in milliseconds; `null` where there was none. */
  readonly latency_ms: number | null;
}

export interface BusHealth {
  /** `unhealthy` without Redis, on which streams depend; `degraded` when another enabled provider fails. */
  readonly status: 'healthy' | 'degraded' | 'unhealthy';
  readonly providers: Readonly<Record<EventProvider, ProviderHealth>>;
  readonly timestamp: Date;
}

const DISABLED: ProviderHealth = { enabled: false, healthy: null, status: 'disabled', latency_ms: null };

/** Probes every enabled provider by a real round trip: what is published must come back. */
@Injectable()
export class EventBusHealth {
  private latest: { readonly since: number; readonly health: Promise<BusHealth> } | undefined;
  private readonly channel = `events:probe:${newId()}`;
  private listening: Promise<void> | undefined;
  private awaited: { readonly token: string; readonly arrived: () => void } | undefined;

  constructor(
    private readonly connections: RedisConnections,
    private readonly clock: Clock,
  ) {}

  /** Answers within about a second whatever is down. Askers within the same second share one probe. */
  check(): Promise<BusHealth> {
    if (this.latest === undefined || performance.now() - this.latest.since > CACHE_MS) {
      this.latest = { since: performance.now(), health: this.probeAll() };
    }
    return this.latest.health;
  }

  private async probeAll(): Promise<BusHealth> {
    const redis = await this.probe();
    const providers = { redis, http: DISABLED, websocket: DISABLED, nats: DISABLED };
    return { status: overall(providers), providers, timestamp: this.clock.now() };
  }

  private async probe(): Promise<ProviderHealth> {
    const startedAt = performance.now();
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<false>((resolve) => {
      timer = setTimeout(() => resolve(false), PROBE_LIMIT_MS);
    });
    const echo = this.echo().catch(() => false as const);
    const healthy = await Promise.race([echo, late]);
    clearTimeout(timer);
    const latency = Math.round((performance.now() - startedAt) * 100) / 100;
    return { enabled: true, healthy, status: healthy ? 'healthy' : 'unhealthy', latency_ms: healthy ? latency : null };
  }

  private async echo(): Promise<true> {
    await this.listen();
    const token = newId();
    const arrived = new Promise<void>((resolve) => {
      this.awaited = { token, arrived: resolve };
    });
    await this.connections.commands.publish(this.channel, token);
    await arrived;
    return true;
  }

  /** The subscription stays, and comes by itself where it was refused or broke. */
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
