import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { batchOf, readFrame, type EventFrame } from '../log/event-frame.js';
import type { LogPage } from '../log/event-log.js';
import { EventReader } from './event-reader.js';
import { isAtEvent, type LogPosition } from '../log/log-cursor.js';
import type { BoundedSink } from './stream-sink.js';

const execution = { organizationId: 'org', executionId: 'run' };
const PAGE = 3;

/**
 * Log and channel of an execution without Redis. A published event is in the list immediately; the test decides when it
 * is delivered.
 */
class FakeBus {
  micros = 0;
  epoch = 0;
  list: EventFrame[] = [];
  counter = 0;
  channel: EventFrame[] = [];
  /** Functions that return the results of pending reads. */
  readonly pendingReads: (() => void)[] = [];

  publish(type = 'x'): void {
    this.counter += 1;
    this.micros += 1;
    const line = `id: run_${this.counter}_${this.micros}\nevent: ${type}\ndata: {"epoch":${this.epoch}}\n\n`;
    const frame = readFrame('run', Buffer.from(line));
    this.list.push(frame);
    this.channel.push(frame);
  }

  wipe(): void {
    Object.assign(this, { list: [], counter: 0, epoch: this.epoch + 1 });
  }

  /** Reads immediately and returns the result later, like a network. */
  read(_execution: object, after: LogPosition): Promise<LogPage> {
    const page = this.page(after);
    return new Promise((resolve) => this.pendingReads.push(() => resolve(page)));
  }

  private page(after: LogPosition): LogPage {
    const index = typeof after === 'object' ? this.list.findIndex((frame) => isAtEvent(after, frame.id)) : -1;
    const oldest = this.list[0]?.id.counter ?? this.counter + 1;
    const lost = typeof after === 'object' ? index < 0 : after === 'first' && oldest > 1;
    const start = lost ? 0 : index + 1;
    const frames = this.list.slice(start, start + PAGE);
    const newest = { counter: this.counter, micros: this.list.at(-1)?.id.micros ?? 0 };
    return {
      gap: lost ? 'expired' : null,
      frames,
      invalid: 0,
      position: frames.at(-1)?.id ?? (this.counter === 0 ? 'first' : newest),
      complete: start + PAGE >= this.list.length,
    };
  }
}

class FakeSink implements BoundedSink {
  isCrowded = false;
  text = '';
  queuedBytes = 0;
  closed: 'ended' | 'destroyed' | null = null;
  private readonly listeners: (() => void)[] = [];

  write(bytes: Uint8Array | string): void {
    this.text += Buffer.from(bytes as Uint8Array).toString();
  }

  turn<T>(_bytes: number, step: () => Promise<T>): Promise<T | undefined> {
    return step();
  }

  closeWhenStalled(): void {
    // The test controls the speed of the connection.
  }

  drained(): Promise<boolean> {
    return Promise.resolve(this.closed === null);
  }

  end(): void {
    this.close('ended');
  }

  destroy(): void {
    this.close('destroyed');
  }

  onClose(listener: () => void): void {
    this.listeners.push(listener);
  }

  private close(how: 'ended' | 'destroyed'): void {
    if (this.closed !== null) return;
    this.closed = how;
    for (const listener of this.listeners) listener();
  }

  frames(): { id: string | null; type: string; data: { epoch?: number } }[] {
    return this.text
      .split('\n\n')
      .filter((text) => text !== '')
      .map((text) => ({
        id: /^id: (.*)$/m.exec(text)?.[1] ?? null,
        type: /^event: (.*)$/m.exec(text)?.[1] ?? '',
        data: JSON.parse(/^data: (.*)$/m.exec(text)?.[1] ?? '') as { epoch?: number },
      }));
  }
}

function setUp(position: LogPosition = 'first'): {
  bus: FakeBus;
  sink: FakeSink;
  reader: EventReader;
  dones: number[];
} {
  const bus = new FakeBus();
  const sink = new FakeSink();
  const dones: number[] = [];
  const onDone = (): void => void dones.push(bus.counter);
  return { bus, sink, dones, reader: new EventReader({ execution, position, onDone }, bus, sink) };
}

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

async function resolveReads(bus: FakeBus): Promise<void> {
  for (await settled(); bus.pendingReads.length > 0; await settled()) bus.pendingReads.shift()?.();
}

function deliver(bus: FakeBus, reader: EventReader, count = bus.channel.length): void {
  const [first, ...rest] = bus.channel.splice(0, count);
  if (first !== undefined) reader.receive(batchOf([first, ...rest]));
}

/** The invariant: each event is the direct successor of the previous one, or a gap_detected lies between them. */
function expectLawful(sink: FakeSink): void {
  let previous: { counter: number; epoch: number } | null = { counter: 0, epoch: -1 };
  for (const { id, type, data } of sink.frames()) {
    if (type === 'gap_detected') previous = null;
    if (id === null) continue;
    const counter = Number(id.split('_')[1]);
    const epoch = data.epoch ?? -1;
    if (previous !== null) {
      expect(counter).toBe(previous.counter + 1);
      if (previous.counter > 0) expect(epoch).toBe(previous.epoch);
    }
    previous = { counter, epoch };
  }
}

const step = fc.oneof(
  { weight: 6, arbitrary: fc.constant('publish' as const) },
  { weight: 4, arbitrary: fc.constant('deliver one' as const) },
  { weight: 2, arbitrary: fc.constant('deliver all' as const) },
  { weight: 4, arbitrary: fc.constant('complete a read' as const) },
  { weight: 1, arbitrary: fc.constant('lose one' as const) },
  { weight: 1, arbitrary: fc.constant('break and reconnect' as const) },
  { weight: 1, arbitrary: fc.constant('wipe, break and reconnect' as const) },
  { weight: 1, arbitrary: fc.constant('drop the oldest' as const) },
  { weight: 1, arbitrary: fc.constant('compare with newest' as const) },
);

describe('EventReader', () => {
  it('receives every event once and in order, or a gap, for any interleaving of reads, deliveries and failures', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
        const { bus, sink, reader } = setUp();
        reader.catchUp();
        for (const name of steps) {
          if (name === 'publish') bus.publish();
          if (name === 'deliver one') deliver(bus, reader, 1);
          if (name === 'deliver all') deliver(bus, reader);
          if (name === 'lose one') bus.channel.splice(1, 1);
          if (name === 'complete a read') bus.pendingReads.shift()?.();
          if (name === 'drop the oldest') bus.list.shift();
          if (name.startsWith('wipe')) bus.wipe();
          if (name.endsWith('reconnect')) {
            bus.channel = [];
            reader.catchUp();
          }
          const newest = bus.list.at(-1);
          if (name === 'compare with newest' && newest !== undefined) reader.catchUpTo(newest.id);
          if (name === 'complete a read') await settled();
          expectLawful(sink);
        }
        deliver(bus, reader);
        await resolveReads(bus);
        const newest = bus.list.at(-1);
        if (newest !== undefined) reader.catchUpTo(newest.id);
        await resolveReads(bus);
        expectLawful(sink);
        const lastSeen = sink.frames().findLast((frame) => frame.id !== null)?.id;
        if (newest !== undefined) expect(lastSeen).toBe(`run_${newest.id.counter}_${newest.id.micros}`);
        expect(sink.closed).toBeNull();
      }),
      { numRuns: 500 },
    );
  });

  it('receives events that were published while it read the list', async () => {
    const { bus, sink, reader } = setUp();
    bus.publish();
    reader.catchUp();
    bus.publish();
    deliver(bus, reader);
    await resolveReads(bus);
    bus.publish();
    deliver(bus, reader);
    expect(sink.frames().map((frame) => frame.id)).toEqual(['run_1_1', 'run_2_2', 'run_3_3']);
  });

  it.each([1, 2])('reads the list if one of %i live events was lost', async (before) => {
    const { bus, sink, reader } = setUp();
    reader.catchUp();
    await resolveReads(bus);
    for (let count = 0; count <= before; count += 1) bus.publish();
    bus.channel.splice(before - 1, 1);
    deliver(bus, reader);
    await resolveReads(bus);
    expect(sink.frames()).toHaveLength(before + 1);
  });

  it('receives a gap before the kept events if its last event has expired', async () => {
    const { bus, sink, reader } = setUp({ counter: 1, micros: 1 });
    bus.publish();
    bus.publish();
    bus.list.shift();
    reader.catchUp();
    await resolveReads(bus);
    expect(sink.frames()).toMatchObject([
      { type: 'gap_detected', data: { last_known_id: 'run_1_1', reason: 'expired' } },
      { id: 'run_2_2' },
    ]);
  });

  it('is disconnected if it lags too far behind', async () => {
    const { bus, sink, reader } = setUp();
    reader.catchUp();
    await resolveReads(bus);
    sink.queuedBytes = 5 * 1_048_576;
    bus.publish();
    deliver(bus, reader);
    expect(sink.closed).toBe('destroyed');
    expect(reader.closed).toBe(true);
  });

  it('is not disconnected for lagging while it catches up, and misses nothing', async () => {
    const { bus, sink, reader } = setUp();
    reader.catchUp();
    sink.queuedBytes = 5 * 1_048_576;
    for (let count = 0; count < 10; count += 1) bus.publish();
    deliver(bus, reader);
    sink.queuedBytes = 0;
    await resolveReads(bus);
    expect(sink.frames()).toHaveLength(10);
  });

  it('receives the remaining events and the logged done of a final execution once', async () => {
    const { bus, sink, reader } = setUp();
    reader.catchUp();
    await resolveReads(bus);
    bus.publish();
    bus.publish('done');
    reader.finish({ status: 'completed' });
    await resolveReads(bus);
    expect(sink.frames().map((frame) => frame.type)).toEqual(['x', 'done']);
    expect(sink.closed).toBe('ended');
  });

  it('receives a done created from the final state if the logged done was lost', async () => {
    const { bus, sink, reader } = setUp();
    bus.publish();
    reader.finish({ status: 'failed' });
    await resolveReads(bus);
    expect(sink.frames()).toMatchObject([{ type: 'x' }, { id: null, type: 'done', data: { status: 'failed' } }]);
    expect(sink.closed).toBe('ended');
  });

  it('ends with done even if events were published after the logged done', async () => {
    const { bus, sink, reader } = setUp();
    bus.publish('done');
    bus.publish();
    reader.finish({ status: 'completed' });
    await resolveReads(bus);
    expect(sink.frames()).toMatchObject([
      { id: 'run_1_1', type: 'done' },
      { id: 'run_2_2', type: 'x' },
      { id: null, type: 'done', data: { status: 'completed' } },
    ]);
    expect(sink.closed).toBe('ended');
  });

  it('receives events published during a read at the end of the execution', async () => {
    const { bus, sink, reader } = setUp();
    reader.catchUp();
    bus.publish();
    reader.finish({ status: 'completed' });
    await resolveReads(bus);
    expect(sink.frames().map((frame) => frame.type)).toEqual(['x', 'done']);
  });

  it('checks whether a done is the end of the execution and continues if it is not', async () => {
    const { bus, sink, reader, dones } = setUp();
    bus.publish('done');
    reader.catchUp();
    await resolveReads(bus);
    bus.channel = [];
    bus.publish('done');
    bus.publish();
    deliver(bus, reader);
    expect(dones).toEqual([1, 3]);
    expect(sink.frames().map((frame) => frame.type)).toEqual(['done', 'done', 'x']);
    expect(sink.closed).toBeNull();
  });
});
