import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { RedisConnections } from '@app/connections';
import { createTestContext, type TestContext } from '@app/testing';
import { Global, Injectable, Module, type BeforeApplicationShutdown } from '@nestjs/common';
import { DispatchModule } from '../dispatch.module.js';
import { OutboxTopic, TopicHandler } from './outbox-topic.js';
import { Outbox } from './outbox.js';

interface Saying {
  readonly text: string;
}

const said = new OutboxTopic<Saying>('test.said');

/** Takes a few turns before it needs Redis. */
@Injectable()
class SaidHandler extends TopicHandler<Saying> {
  override readonly topic = said;

  constructor(private readonly connections: RedisConnections) {
    super();
  }

  override async handle({ text }: Saying): Promise<void> {
    for (let turns = 0; turns < 10; turns += 1) await nextTurn();
    await this.connections.commands.set(`test:said:${text}`, 'yes');
  }
}

/** Does what a request does that ends while the server drains. A global module's hooks are the last of their phase. */
@Injectable()
class LastRequest implements BeforeApplicationShutdown {
  constructor(private readonly outbox: Outbox) {}

  async beforeApplicationShutdown(): Promise<void> {
    await this.outbox.add(said, { text: 'goodbye' });
  }
}

@Global()
@Module({ imports: [DispatchModule], providers: [SaidHandler, LastRequest] })
class LastRequestModule {}

describe('the relay', () => {
  let context: TestContext;

  beforeAll(async () => {
    context = await createTestContext([LastRequestModule]);
  });

  afterAll(() => context.close());

  it('hands on what is committed while the process stops, before its connections are closed', async () => {
    const stopping = await createTestContext([LastRequestModule], { shareWith: context });
    await stopping.close();
    expect(await context.get(RedisConnections).commands.get('test:said:goodbye')).toBe('yes');
    expect(await context.database.sql('SELECT topic FROM outbox')).toEqual([]);
  });
});
