import { discoverProviders } from '@app/discovery';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { EventProvider, LogFollower, type EventProviderName } from './event-provider.js';

/** The event providers of this process. Throws at start if two have the same name. */
@Injectable()
export class EventProviders implements OnModuleInit {
  private readonly byName = new Map<EventProviderName, EventProvider>();

  constructor(private readonly discovery: DiscoveryService) {}

  onModuleInit(): void {
    for (const provider of discoverProviders(this.discovery, EventProvider)) this.register(provider);
  }

  get enabled(): readonly EventProvider[] {
    return [...this.byName.values()].filter((provider) => provider.enabled);
  }

  get followers(): readonly LogFollower[] {
    return this.enabled.filter((provider) => provider instanceof LogFollower);
  }

  private register(provider: EventProvider): void {
    if (this.byName.has(provider.name)) throw new Error(`Two event providers: ${provider.name}`);
    this.byName.set(provider.name, provider);
  }
}
