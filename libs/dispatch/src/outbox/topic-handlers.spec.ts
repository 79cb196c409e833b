import { describe, expect, it } from '@jest/globals';
import { Injectable } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { Test } from '@nestjs/testing';
import { OutboxTopic, TopicHandler } from './outbox-topic.js';
import { TopicHandlers } from './topic-handlers.js';

const heard = new OutboxTopic<object>('test.heard');

@Injectable()
class HeardHandler extends TopicHandler<object> {
  override readonly topic = heard;
  override async handle(): Promise<void> {}
}

@Injectable()
class SecondHeardHandler extends HeardHandler {}

async function start(handlers: (typeof HeardHandler)[]): Promise<TopicHandlers> {
  const providers = [TopicHandlers, ...handlers];
  const testing = await Test.createTestingModule({ imports: [DiscoveryModule], providers }).compile();
  await testing.init();
  return testing.get(TopicHandlers);
}

describe('topics of the outbox', () => {
  it('find their handler among the providers', async () => {
    expect((await start([HeardHandler])).handlerOf('test.heard')).toBeInstanceOf(HeardHandler);
  });

  it('keep an application without a handler from starting', async () => {
    await expect(start([])).rejects.toThrow('Outbox topics without a handler: test.heard');
  });

  it('keep an application with two handlers from starting', async () => {
    await expect(start([HeardHandler, SecondHeardHandler])).rejects.toThrow('test.heard has two handlers');
  });

  it('are declared once', () => {
    expect(() => new OutboxTopic('test.heard')).toThrow('declared twice');
  });
});
