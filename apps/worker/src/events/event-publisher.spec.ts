import { describe, expect, it } from '@jest/globals';
import { setTimeout as wait } from 'node:timers/promises';
import { SystemClock, type JsonObject } from '@app/kernel';
import fc from 'fast-check';
import type { ExecutionEvent } from '../control-plane/control-plane.port.js';
import { EventPublisher } from './event-publisher.js';

interface Step {
  readonly type: string;
  readonly message: string;
  readonly content: string;
  /** Milliseconds before the next step; 0 publishes in the same turn. */
  readonly delayMs: number;
}

const step: fc.Arbitrary<Step> = fc.record({
  type: fc.constantFrom('message_chunk', 'message_chunk', 'message_chunk', 'thinking_delta', 'tool_started', 'message'),
  message: fc.constantFrom('m1', 'm2'),
  content: fc.string({ maxLength: 4 }),
  delayMs: fc.constantFrom(0, 0, 0, 1, 3),
});

function publisher(windowMs: number, send: (event: ExecutionEvent) => Promise<void>): EventPublisher {
  return new EventPublisher({ windowMs, clock: new SystemClock(), send });
}

const textOf = (data: JsonObject) => String(data['content']);

/** Normalizes events for comparison: the chunks of one message between two other events become one text. */
function mergeChunks(events: readonly { type: string; data: JsonObject }[]): string[] {
  const merged: { key: string; text: string; isChunk: boolean }[] = [];
  for (const { type, data } of events) {
    const isChunk = type === 'message_chunk' || type === 'thinking_delta';
    const key = isChunk ? `${type}/${String(data['message_id'])}` : `${type}!`;
    const last = merged.findLast((event) => !event.isChunk || event.key === key);
    if (isChunk && last?.key === key) last.text += textOf(data);
    else merged.push({ key, text: textOf(data), isChunk });
  }
  return merged.map(({ key, text }) => `${key}:${text}`);
}

describe('EventPublisher', () => {
  it('publishes the same content in the same order, one request at a time, however slow the requests are', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { maxLength: 25 }),
        fc.array(fc.nat(3), { minLength: 1, maxLength: 5 }),
        async (steps, pauses) => {
          const sent: ExecutionEvent[] = [];
          let pending = 0;
          const events = publisher(2, async (event) => {
            pending += 1;
            expect(pending).toBe(1);
            await wait(pauses[sent.length % pauses.length]);
            sent.push(event);
            pending -= 1;
          });
          for (const { type, message, content, delayMs } of steps) {
            events.publish(type, { message_id: message, content });
            if (delayMs > 0) await wait(delayMs);
          }
          await events.flush();
          const expected = steps.map(({ type, message, content }) => ({
            type,
            data: { message_id: message, content },
          }));
          expect(mergeChunks(sent.map(({ event_type, data }) => ({ type: event_type, data })))).toEqual(
            mergeChunks(expected),
          );
        },
      ),
      { numRuns: 60 },
    );
  });

  it('publishes whole characters, however a model cuts them, with events of other messages in between', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'grapheme', maxLength: 8 }), fc.nat(2), async (text, every) => {
        const sent: ExecutionEvent[] = [];
        const events = publisher(0, async (event) => void sent.push(event));
        for (const [index, unit] of [...text.split('')].entries()) {
          events.publish('message_chunk', { message_id: 'm', content: unit });
          if (index % 3 === every) events.publish('tool_started', { tool_name: 't' });
          await wait(0);
        }
        await events.flush();
        const chunks = sent.filter(({ event_type }) => event_type === 'message_chunk').map(({ data }) => textOf(data));
        expect(chunks.join('')).toBe(text);
        expect(chunks.filter((chunk) => /\p{Surrogate}/u.test(chunk))).toEqual([]);
      }),
      { numRuns: 30 },
    );
  });

  it('publishes half a character if no other chunk of its message follows', async () => {
    const sent: ExecutionEvent[] = [];
    const events = publisher(0, async (event) => void sent.push(event));
    events.publish('message_chunk', { message_id: 'm', content: 'a\ud83e' });
    events.publish('message_chunk', { message_id: 'n', content: 'b' });
    await events.flush();
    expect(sent.map(({ data }) => data['content'])).toEqual(['a\ud83e', 'b']);
  });

  it('merges thousands of chunks into few requests', async () => {
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

  it('sends the first chunk without waiting for the window', async () => {
    let sent: () => void = () => undefined;
    const first = new Promise<void>((resolve) => (sent = resolve));
    const events = publisher(3_600_000, async () => sent());
    events.publish('message_chunk', { message_id: 'm', content: 'a' });
    await first;
  });

  it('sends a waiting chunk as soon as another event is queued behind it', async () => {
    const sent: string[] = [];
    let toolSent: () => void = () => undefined;
    const tool = new Promise<void>((resolve) => (toolSent = resolve));
    const events = publisher(3_600_000, async ({ event_type, data }) => {
      sent.push(`${event_type} ${textOf(data)}`);
      if (event_type === 'tool_started') toolSent();
    });
    events.publish('message_chunk', { message_id: 'm', content: 'a' });
    await wait(1);
    events.publish('message_chunk', { message_id: 'm', content: 'b' });
    events.publish('tool_started', { content: '' });
    await tool;
    expect(sent).toEqual(['message_chunk a', 'message_chunk b', 'tool_started ']);
  });

  it('bounds the content of a merged event', async () => {
    const sent: ExecutionEvent[] = [];
    const events = publisher(0, async (event) => void sent.push(event));
    for (let count = 0; count < 10; count += 1)
      events.publish('message_chunk', { message_id: 'm', content: 'x'.repeat(10_000) });
    await events.flush();
    expect(Math.max(...sent.map(({ data }) => textOf(data).length))).toBeLessThanOrEqual(32_768);
    expect(sent.map(({ data }) => textOf(data).length).reduce((sum, length) => sum + length)).toBe(100_000);
  });

  it('rejects with the first failure and sends nothing after it', async () => {
    const sent: string[] = [];
    const events = publisher(0, async ({ event_type }) => {
      sent.push(event_type);
      throw new Error('send failed');
    });
    events.publish('one', {});
    events.publish('two', {});
    await expect(events.flush()).rejects.toThrow('send failed');
    events.publish('three', {});
    await expect(events.flush()).rejects.toThrow('send failed');
    expect(sent).toEqual(['one']);
  });

  it('drops queued events when it is closed', async () => {
    const sent: string[] = [];
    const events = publisher(0, async ({ event_type }) => void sent.push(event_type));
    events.publish('one', {});
    events.close(new Error('closed'));
    await expect(events.flush()).rejects.toThrow('closed');
    expect(sent).toEqual([]);
  });
});
