import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { declaredTopics, TopicHandler } from './outbox-topic.js';

/** Which handler a topic has. Finds them among the application's providers, and refuses to start when one is missing. */
@Injectable()
export class TopicHandlers implements OnModuleInit {
  private readonly byTopic = new Map<string, TopicHandler<object>>();

  constructor(private readonly discovery: DiscoveryService) {}

  onModuleInit(): void {
    for (const { instance } of this.discovery.getProviders()) {
      if (instance instanceof TopicHandler) this.register(instance as TopicHandler<object>);
    }
    const orphans = declaredTopics().filter((topic) => !this.byTopic.has(topic));
    if (orphans.length > 0) throw new Error(`Outbox topics without a handler: ${orphans.join(', ')}`);
  }

  handlerOf(topic: string): TopicHandler<object> | undefined {
    return this.byTopic.get(topic);
  }

  private register(handler: TopicHandler<object>): void {
    const { name } = handler.topic;
    const present = this.byTopic.get(name);
    if (present !== undefined && present !== handler) throw new Error(`The outbox topic ${name} has two handlers`);
    this.byTopic.set(name, handler);
  }
}
