import { describe, expect, it } from '@jest/globals';
import { setTimeout as wait } from 'node:timers/promises';
import { SystemClock, type JsonObject } from '@app/kernel';
import fc from 'fast-check';
import type { ExecutionEvent } from './control-plane.port.js';
import { EventPublisher } from './event-publisher.js';

interface Step {
  readonly type: string;
  readonly message: string;
  readonly content: string;
  /** Milliseconds before the next step; 0 publishes in the same turn. */
  readonly rest: number;
}

const step: fc.Arbitrary<Step> = fc.record({
  type: fc.constantFrom('message_chunk', 'message_chunk', 'message_chunk', 'thinking_delta', 'tool_started', 'message'),
  message: fc.constantFrom('m1', 'm2'),
  content: fc.string({ maxLength: 4 }),
  rest: fc.constantFrom(0, 0, 0, 1, 3),
});

function publisher(windowMs: number, send: (event: ExecutionEvent) => Promise<void>): EventPublisher {
  return new EventPublisher({ windowMs, clock: new SystemClock(), send });
}

const textOf = (data: JsonObject) => String(data['content']);

/** What a reader can tell apart: neighbouring pieces of one message are one text, everything else is itself. */
function story(events: readonly { type: string; data: JsonObject }[]): string[] {
  const told: { key: string; text: string }[] = [];
  for (const { type, data } of events) {
    const piece = type === 'message_chunk' || type === 'thinking_delta';
    const key = piece ? `${type}/${String(data['message_id'])}` : `${type}!`;
    const last = told.at(-1);
    if (piece && last?.key === key) last.text += textOf(data);
    else told.push({ key, text: textOf(data) });
  }
  return told.map(({ key, text }) => `${key}:${text}`);
}

describe('EventPublisher', () => {
  it('tells the same story in the same order, one request at a time, however slow the sending', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { maxLength: 25 }),
        fc.array(fc.nat(3), { minLength: 1, maxLength: 5 }),
        async (steps, pauses) => {
          const sent: ExecutionEvent[] = [];
          let underWay = 0;
          const events = publisher(2, async (event) => {
            underWay += 1;
            expect(underWay).toBe(1);
            await wait(pauses[sent.length % pauses.length]);
            sent.push(event);
            underWay -= 1;
          });
          for (const { type, message, content, rest } of steps) {
            events.publish(type, { message_id: message, content });
            if (rest > 0) await wait(rest);
          }
          await events.flush();
          const given = steps.map(({ type, message, content }) => ({ type, data: { message_id: message, content } }));
          expect(story(sent.map(({ event_type, data }) => ({ type: event_type, data })))).toEqual(story(given));
        },
      ),
      { numRuns: 60 },
    );
  });

  it('makes few requests of thousands of pieces', async () => {
    const sent: ExecutionEvent[] = [];
    const events = publisher(20, async (event) => void sent.push(event));
    for (let count = 0; count < 5_000; count += 1) {
      events.publish('message_chunk', { message_id: 'm', content: 'word ' });
      if (count % 100 === 0) await wait(0);
    }
    await events.flush();
    expect(sent.map(({ data }) => textOf(data)).join('')).toBe('word '.repeat(5_000));
    expect(sent.length).toBeLessThan(100);
  });

  it('sends the first piece without waiting for the window', async () => {
    let sent: () => void = () => undefined;
    const first = new Promise<void>((resolve) => (sent = resolve));
    const events = publisher(3_600_000, async () => sent());
    events.publish('message_chunk', { message_id: 'm', content: 'a' });
    await first;
  });

  it('does not let a waiting piece hold up what comes behind it', async () => {
    const sent: string[] = [];
    let toolOut: () => void = () => undefined;
    const tool = new Promise<void>((resolve) => (toolOut = resolve));
    const events = publisher(3_600_000, async ({ event_type, data }) => {
      sent.push(`${event_type} ${textOf(data)}`);
      if (event_type === 'tool_started') toolOut();
    });
    events.publish('message_chunk', { message_id: 'm', content: 'a' });
    await wait(1);
    events.publish('message_chunk', { message_id: 'm', content: 'b' });
    events.publish('tool_started', { content: '' });
    await tool;
    expect(sent).toEqual(['message_chunk a', 'message_chunk b', 'tool_started ']);
  });

  it('keeps one event below the size of a request', async () => {
    const sent: ExecutionEvent[] = [];
    const events = publisher(0, async (event) => void sent.push(event));
    for (let count = 0; count < 10; count += 1)
      events.publish('message_chunk', { message_id: 'm', content: 'x'.repeat(10_000) });
    await events.flush();
    expect(Math.max(...sent.map(({ data }) => textOf(data).length))).toBeLessThanOrEqual(32_768);
    expect(sent.map(({ data }) => textOf(data).length).reduce((sum, length) => sum + length)).toBe(100_000);
  });

  it('ends with the first failure and sends nothing after it', async () => {
    const sent: string[] = [];
    const events = publisher(0, async ({ event_type }) => {
      sent.push(event_type);
      throw new Error('no more');
    });
    events.publish('one', {});
    events.publish('two', {});
    await expect(events.flush()).rejects.toThrow('no more');
    events.publish('three', {});
    await expect(events.flush()).rejects.toThrow('no more');
    expect(sent).toEqual(['one']);
  });

  it('drops what waits when it is closed', async () => {
    const sent: string[] = [];
    const events = publisher(0, async ({ event_type }) => void sent.push(event_type));
    events.publish('one', {});
    events.close(new Error('closed'));
    await expect(events.flush()).rejects.toThrow('closed');
    expect(sent).toEqual([]);
  });
});
