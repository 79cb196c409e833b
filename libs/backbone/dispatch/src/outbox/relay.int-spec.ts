import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { RedisConnections } from '@app/redis';
import { createTestContext, type TestContext } from '@app/testing';
import { Global, Injectable, Module, type BeforeApplicationShutdown } from '@nestjs/common';
import { DispatchModule } from '../dispatch.module.js';
import { OutboxTopic, TopicHandler } from './outbox-topic.js';
import { Outbox } from './outbox.js';

interface Note {
  readonly text: string;
}

const noteAdded = new OutboxTopic<Note>('test.note_added');

/** A handler that uses Redis after a few turns of the event loop. */
@Injectable()
class NoteHandler extends TopicHandler<Note> {
  override readonly topic = noteAdded;

  constructor(private readonly connections: RedisConnections) {
    super();
  }

  override async handle({ text }: Note): Promise<void> {
    for (let turns = 0; turns < 10; turns += 1) await nextTurn();
    await this.connections.commands.set(`test:note:${text}`, 'yes');
  }
}

/**
 * Commits a message during shutdown, like a request that ends while the server drains. In each phase of a shutdown, Nest
 * calls the hooks of global modules last, so this is the latest possible moment of the phase.
 */
@Injectable()
class LastRequest implements BeforeApplicationShutdown {
  constructor(private readonly outbox: Outbox) {}

  async beforeApplicationShutdown(): Promise<void> {
    await this.outbox.add(noteAdded, { text: 'last' });
  }
}

@Global()
@Module({ imports: [DispatchModule], providers: [NoteHandler, LastRequest] })
class LastRequestModule {}

describe('the relay', () => {
  let context: TestContext;

  beforeAll(async () => {
    context = await createTestContext([LastRequestModule]);
  });

  afterAll(() => context.close());

  it('relays messages that are committed during shutdown before the connections are closed', async () => {
    const stopping = await createTestContext([LastRequestModule], { shareWith: context });
    await stopping.close();
    expect(await context.get(RedisConnections).commands.get('test:note:last')).toBe('yes');
    expect(await context.database.sql('SELECT topic FROM outbox')).toEqual([]);
  });
});
