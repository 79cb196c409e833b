import { describe, expect, it } from '@jest/globals';
import { Injectable } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { Test } from '@nestjs/testing';
import { OutboxTopic, TopicHandler } from './outbox-topic.js';
import { TopicHandlers } from './topic-handlers.js';

const noteAdded = new OutboxTopic<object>('test.note_added');

@Injectable()
class NoteHandler extends TopicHandler<object> {
  override readonly topic = noteAdded;
  override async handle(): Promise<void> {}
}

@Injectable()
class SecondNoteHandler extends NoteHandler {}

async function start(handlers: (typeof NoteHandler)[]): Promise<TopicHandlers> {
  const providers = [TopicHandlers, ...handlers];
  const testing = await Test.createTestingModule({ imports: [DiscoveryModule], providers }).compile();
  await testing.init();
  return testing.get(TopicHandlers);
}

describe('outbox topics', () => {
  it('have a handler among the providers', async () => {
    expect((await start([NoteHandler])).handlerOf('test.note_added')).toBeInstanceOf(NoteHandler);
  });

  it('prevent the start without a handler', async () => {
    await expect(start([])).rejects.toThrow('Outbox topics without a handler: test.note_added');
  });

  it('prevent the start with two handlers', async () => {
    await expect(start([NoteHandler, SecondNoteHandler])).rejects.toThrow('test.note_added has two handlers');
  });

  it('cannot be declared twice', () => {
    expect(() => new OutboxTopic('test.note_added')).toThrow('declared twice');
  });
});
