import { beforeEach, describe, expect, it } from '@jest/globals';
import { SystemClock } from '@app/kernel';
import type { EventHub } from './event-hub.js';
import type { EventLog } from './event-log.js';
import { EventStream, type HistoryPage, type StreamRequest } from './event-stream.js';
import type { StreamSink } from './stream-sink.js';

/** The connection of a client that has gone. */
const goneSink: StreamSink = {
  queuedBytes: 0,
  write: () => undefined,
  closeWhenStalled: () => undefined,
  drained: () => Promise.resolve(false),
  end: () => undefined,
  destroy: () => undefined,
  onClose: (listener) => listener(),
};

const request: StreamRequest = {
  execution: { id: 'run', organization_id: 'org', status: 'running' },
  history: { first: { messages: [], complete: true }, after: () => Promise.reject(new Error('Nothing is left')) },
  done: null,
  findFinal: () => Promise.resolve([]),
  lastEventId: null,
};

describe('the event stream', () => {
  const attached: unknown[] = [];
  const hub = {
    attach: (reader: unknown) => Promise.resolve(attached.push(reader)),
    detach: () => undefined,
  } as unknown as EventHub;
  const log = { read: () => new Promise(() => undefined) } as unknown as EventLog;
  const newStream = (): EventStream => new EventStream(log, hub, new SystemClock());

  beforeEach(() => {
    attached.length = 0;
  });

  it('listens to nothing for a client that has gone before its stream began', () => {
    newStream().open(goneSink, request);
    expect(attached).toEqual([]);
  });

  it('tells what was said before as fast as it is taken, and then listens', async () => {
    const client = new SlowClient();
    const said = ['one', 'two', 'three', 'four', 'five'].map((text) => ({ text }));
    const asked: number[] = [];
    const after = (count: number): Promise<HistoryPage> => {
      asked.push(count);
      return Promise.resolve({ messages: said.slice(count, count + 2), complete: count + 2 >= said.length });
    };
    newStream().open(client, { ...request, history: { first: await after(0), after } });
    expect(client.types()).toEqual(['connected', 'message', 'message']);
    await client.take();
    expect([asked, client.types().slice(3)]).toEqual([
      [0, 2],
      ['message', 'message'],
    ]);
    expect(attached).toEqual([]);
    await client.take();
    expect([asked, client.types().slice(5)]).toEqual([
      [0, 2, 4],
      ['message', 'history_complete'],
    ]);
    expect(client.written).toContain('"message_count":5');
    expect(attached).toHaveLength(1);
  });

  it('ends a stream that is still told what was said before, when the process stops or it can not be read', async () => {
    const stream = newStream();
    const [stopped, failed] = [new SlowClient(), new SlowClient()];
    const history = { first: { messages: [{}], complete: false }, after: request.history.after };
    stream.open(stopped, { ...request, history });
    stream.open(failed, { ...request, history });
    await failed.take();
    expect([stopped.ended, failed.ended]).toEqual([false, true]);
    stream.beforeApplicationShutdown();
    await stopped.take();
    expect([stopped.ended, stopped.types().length]).toEqual([true, 2]);
    expect(attached).toEqual([]);
  });
});

/** A client that takes what was written to it only when it is told to. */
class SlowClient implements StreamSink {
  readonly queuedBytes = 0;
  written = '';
  ended = false;
  private onTaken: (open: boolean) => void = () => undefined;

  types(): string[] {
    return [...this.written.matchAll(/^event: (.*)$/gm)].map(([, type]) => type ?? '');
  }

  /** Takes all, and lets what follows from it happen. */
  async take(): Promise<void> {
    this.onTaken(!this.ended);
    await new Promise((resolve) => setImmediate(resolve));
  }

  write(bytes: Uint8Array | string): void {
    this.written += String(bytes);
  }

  drained(): Promise<boolean> {
    return new Promise((resolve) => (this.onTaken = resolve));
  }

  end(): void {
    this.ended = true;
  }

  closeWhenStalled(): void {
    // It is never cut off.
  }

  destroy(): void {
    this.ended = true;
  }

  onClose(): void {
    // It stays.
  }
}
