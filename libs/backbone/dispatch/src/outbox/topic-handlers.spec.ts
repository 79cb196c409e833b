import { describe, expect, it } from '@jest/globals';
import { Injectable } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { Test } from '@nestjs/testing';
import { DeclaredTopics, OutboxTopic, TopicHandler } from './outbox-topic.js';
import { TopicHandlers } from './topic-handlers.js';

const noteAdded = new OutboxTopic<object>('test.note_added');

@Injectable()
class NoteHandler extends TopicHandler<object> {
  override readonly topic = noteAdded;
  override async handle(): Promise<void> {}
}

@Injectable()
class SecondNoteHandler extends NoteHandler {}

/** Starts an application whose modules declare these topics. */
async function start(handlers: (typeof NoteHandler)[], ...declared: OutboxTopic<object>[]): Promise<TopicHandlers> {
  const declarations = declared.map((topic, index) => ({
    provide: `declaration ${index}`,
    useValue: new DeclaredTopics([topic]),
  }));
  const providers = [TopicHandlers, ...declarations, ...handlers];
  const testing = await Test.createTestingModule({ imports: [DiscoveryModule], providers }).compile();
  await testing.init();
  return testing.get(TopicHandlers);
}

describe('outbox topics', () => {
  it('have a handler among the providers', async () => {
    const handlers = await start([NoteHandler], noteAdded, noteAdded);
    expect(handlers.handlerOf('test.note_added')).toBeInstanceOf(NoteHandler);
  });

  it('prevent the start without a handler', async () => {
    await expect(start([], noteAdded)).rejects.toThrow('Outbox topics without a handler: test.note_added');
  });

  it('need no handler if no module declares them', async () => {
    expect((await start([])).handlerOf('test.note_added')).toBeUndefined();
  });

  it('prevent the start with two handlers', async () => {
    await expect(start([NoteHandler, SecondNoteHandler])).rejects.toThrow('test.note_added has two handlers');
  });

  it('prevent the start if two have the same name', async () => {
    const other = new OutboxTopic<object>('test.note_added');
    await expect(start([NoteHandler], other)).rejects.toThrow('Two outbox topics have the name test.note_added');
  });
});
