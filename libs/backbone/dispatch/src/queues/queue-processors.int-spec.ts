import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { RedisConnections } from '@app/redis';
import { createTestContext, eventually, type TestContext } from '@app/testing';
import { getQueueToken, Processor, WorkerHost } from '@nestjs/bullmq';
import { Module } from '@nestjs/common';
import type { Job, Queue } from 'bullmq';
import { DispatchHandlersModule } from '../dispatch.handlers.module.js';
import { DispatchModule } from '../dispatch.module.js';
import { dispatchQueue } from './dispatch-queue.js';

const QUEUE = 'sample-letters';

/** A processor as a domain declares it. */
@Processor(QUEUE)
class LetterProcessor extends WorkerHost {
  readonly processed: string[] = [];
  running = 0;
  private blocked: Promise<void> | undefined;

  async process(job: Job<{ text: string }>): Promise<void> {
    this.running += 1;
    await this.blocked;
    this.processed.push(job.data.text);
    this.running -= 1;
  }

  /** Blocks the jobs; returns the function that lets them end. */
  block(): () => void {
    let release: () => void = () => undefined;
    this.blocked = new Promise((resolve) => (release = resolve));
    return release;
  }
}

@Module({ imports: [DispatchHandlersModule, dispatchQueue(QUEUE)], providers: [LetterProcessor] })
class LettersHandlersModule {}

@Module({ imports: [DispatchModule, dispatchQueue(QUEUE)] })
class LettersModule {}

describe('a process that only adds jobs', () => {
  it('handles the errors of its queue', async () => {
    const context = await createTestContext([LettersModule]);
    const queue = context.app.get<Queue>(getQueueToken(QUEUE), { strict: false });
    const handled = queue.listenerCount('error');
    await context.close();
    expect(handled).toBe(1);
  });
});

describe('a processor of a dispatch queue', () => {
  let context: TestContext;
  let queue: Queue<{ text: string }>;
  let processor: LetterProcessor;

  beforeEach(async () => {
    context = await createTestContext([LettersHandlersModule]);
    queue = context.app.get<typeof queue>(getQueueToken(QUEUE), { strict: false });
    processor = context.get(LetterProcessor);
  });
  afterEach(() => context.close());

  it('processes each job once and keeps none of them', async () => {
    await queue.add('letter', { text: 'one' }, { jobId: 'letter-1' });
    await queue.add('letter', { text: 'two' }, { jobId: 'letter-2' });
    await eventually(() => expect(processor.processed).toEqual(['one', 'two']));
    await eventually(async () => expect(await queue.getJobCounts()).toMatchObject({ active: 0, completed: 0 }));
  });

  it('continues after its connections were closed', async () => {
    await context.get(RedisConnections).commands.call('CLIENT', 'KILL', 'TYPE', 'normal');
    await eventually(() => queue.add('letter', { text: 'after' }, { jobId: 'letter-after' }));
    await eventually(() => expect(processor.processed).toContain('after'));
  });

  it('ends the job in progress before the application closes', async () => {
    const release = processor.block();
    await queue.add('letter', { text: 'last' });
    await eventually(() => expect(processor.running).toBe(1));
    let closed = false;
    const closing = context.app.close().then(() => (closed = true));
    await new Promise((resolve) => setImmediate(resolve));
    expect(closed).toBe(false);
    release();
    await closing;
    expect(processor.processed).toEqual(['last']);
  });
});
