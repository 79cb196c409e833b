import { discoverProviders } from '@app/discovery';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { declaredTopics, TopicHandler } from './outbox-topic.js';

/** Finds the handler of each topic among the providers. Throws at start if a declared topic has none or more than one. */
@Injectable()
export class TopicHandlers implements OnModuleInit {
  private readonly byTopic = new Map<string, TopicHandler<object>>();

  constructor(private readonly discovery: DiscoveryService) {}

  onModuleInit(): void {
    for (const handler of discoverProviders<TopicHandler<object>>(this.discovery, TopicHandler)) this.register(handler);
    const unhandled = declaredTopics().filter((topic) => !this.byTopic.has(topic));
    if (unhandled.length > 0) throw new Error(`Outbox topics without a handler: ${unhandled.join(', ')}`);
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
