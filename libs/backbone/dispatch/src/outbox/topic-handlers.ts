import { discoverProviders } from '@app/discovery';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { DeclaredTopics, TopicHandler } from './outbox-topic.js';

/** Finds the handler of each topic among the providers. Throws at start if a declared topic has none or more than one. */
@Injectable()
export class TopicHandlers implements OnModuleInit {
  private readonly byTopic = new Map<string, TopicHandler<object>>();

  constructor(private readonly discovery: DiscoveryService) {}

  onModuleInit(): void {
    for (const handler of discoverProviders<TopicHandler<object>>(this.discovery, TopicHandler)) this.register(handler);
    const declared = discoverProviders(this.discovery, DeclaredTopics).flatMap(({ topics }) => topics);
    const unhandled = declared.filter(({ name }) => !this.byTopic.has(name));
    if (unhandled.length > 0) {
      throw new Error(`Outbox topics without a handler: ${unhandled.map(({ name }) => name).join(', ')}`);
    }
    const foreign = declared.find((topic) => this.byTopic.get(topic.name)?.topic !== topic);
    if (foreign !== undefined) throw new Error(`Two outbox topics have the name ${foreign.name}`);
  }

  handlerOf(topic: string): TopicHandler<object> | undefined {
    return this.byTopic.get(topic);
  }

  private register(handler: TopicHandler<object>): void {
    const { name } = handler.topic;
    if (this.byTopic.has(name)) throw new Error(`The outbox topic ${name} has two handlers`);
    this.byTopic.set(name, handler);
  }
}
