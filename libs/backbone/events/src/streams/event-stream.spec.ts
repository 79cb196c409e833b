import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { loadConfig, StreamConfig } from '@app/config';
import { SystemClock } from '@app/kernel';
import type { EventHub } from './event-hub.js';
import type { EventLog } from '../log/event-log.js';
import { EventStream, type History, type HistoryPage, type StreamRequest } from './event-stream.js';
import type { ExecutionRef } from '../log/event-types.js';
import type { FinalExecution, FinalExecutions } from './final-executions.js';
import { StreamBudget } from './stream-budget.js';
import type { StreamSink } from './stream-sink.js';

/** Returns these pages, then rejects. */
function historyOf(pages: readonly HistoryPage[]): History {
  const left = [...pages];
  return {
    next: () => {
      const page = left.shift();
      return page === undefined ? Promise.reject(new Error('Nothing is left')) : Promise.resolve(page);
    },
  };
}

/** The connection of a client that has disconnected. */
const closedSink: StreamSink = {
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
  history: { next: () => Promise.resolve({ messages: [], complete: true }) },
  final: null,
  lastEventId: null,
};

describe('EventStream', () => {
  const attached: unknown[] = [];
  const hub = {
    attach: (reader: unknown) => Promise.resolve(attached.push(reader)),
    detach: () => undefined,
  } as unknown as EventHub;
  const log = {
    read: () => new Promise(() => undefined),
    newest: () => Promise.resolve([]),
    hasDone: () => lookUpDone(),
  } as unknown as EventLog;
  /** The executions of each look-up of final states. */
  const lookUps: string[][] = [];
  let lookUpDone: () => Promise<boolean>;
  let answer: () => Promise<readonly FinalExecution[]>;
  const finals: FinalExecutions = {
    findFinal: (executions: readonly ExecutionRef[]) => {
      lookUps.push(executions.map(({ executionId }) => executionId));
      return answer();
    },
  };
  const newStream = (): EventStream =>
    new EventStream(log, hub, finals, new StreamBudget(loadConfig(StreamConfig)), new SystemClock());
  const open = (stream: EventStream, sink: StreamSink, of: StreamRequest): Promise<void> =>
    stream.open(
      { organizationId: 'org' },
      () => Promise.resolve(of),
      () => sink,
    );

  beforeEach(() => {
    attached.length = 0;
    lookUps.length = 0;
    answer = () => Promise.resolve([]);
    lookUpDone = () => Promise.resolve(false);
  });

  it('does not subscribe for a client that disconnected before its stream started', async () => {
    await open(newStream(), closedSink, request);
    expect(attached).toEqual([]);
  });

  it('does not subscribe for a client that disconnects while the end of its execution is looked up', async () => {
    const onClose: (() => void)[] = [];
    const sink: StreamSink = { ...closedSink, onClose: (listener) => void onClose.push(listener) };
    const final = { organizationId: 'org', executionId: 'run', done: {}, updatedAt: new Date() };
    let end: (isDone: boolean) => void = () => undefined;
    lookUpDone = () => new Promise((resolve) => (end = resolve));
    await open(newStream(), sink, { ...request, final });
    for (const listener of onClose) listener();
    end(false);
    await new Promise((resolve) => setImmediate(resolve));
    expect(attached).toEqual([]);
  });

  it('sends the stored messages as fast as the client accepts them, then subscribes', async () => {
    const client = new SlowClient();
    const stored = ['one', 'two', 'three', 'four', 'five'].map((text) => ({ text }));
    const requested: number[] = [];
    const next = (): Promise<HistoryPage> => {
      const count = 2 * requested.length;
      requested.push(count);
      return Promise.resolve({ messages: stored.slice(count, count + 2), complete: count + 2 >= stored.length });
    };
    await open(newStream(), client, { ...request, history: { next } });
    expect(client.types()).toEqual(['connected', 'message', 'message']);
    await client.accept();
    expect([requested, client.types().slice(3)]).toEqual([
      [0, 2],
      ['message', 'message'],
    ]);
    expect(attached).toEqual([]);
    await client.accept();
    expect([requested, client.types().slice(5)]).toEqual([
      [0, 2, 4],
      ['message', 'history_complete'],
    ]);
    expect(client.written).toContain('"message_count":5');
    expect(attached).toHaveLength(1);
  });

  it('ends a stream while it sends the stored messages if the process stops or they are unreadable', async () => {
    const stream = newStream();
    const [stopped, failed] = [new SlowClient(), new SlowClient()];
    for (const client of [stopped, failed]) {
      await open(stream, client, { ...request, history: historyOf([{ messages: [{}], complete: false }]) });
    }
    await failed.accept();
    expect([stopped.ended, failed.ended]).toEqual([false, true]);
    stream.beforeApplicationShutdown();
    await stopped.accept();
    expect([stopped.ended, stopped.types().length]).toEqual([true, 2]);
    expect(attached).toEqual([]);
  });

  describe('with open streams', () => {
    const CHECK_MS = 3_000;
    const ids = Array.from({ length: 20 }, (_, index) => `run-${index}`);
    let stream: EventStream;

    beforeEach(async () => {
      jest.useFakeTimers();
      stream = newStream();
      stream.onModuleInit();
      for (const id of [...ids, ...ids]) {
        await open(stream, new SlowClient(), { ...request, execution: { ...request.execution, id } });
      }
    });
    afterEach(() => {
      stream.beforeApplicationShutdown();
      jest.useRealTimers();
    });

    it('looks up the final states of all their executions together', async () => {
      await jest.advanceTimersByTimeAsync(CHECK_MS);
      expect(lookUps).toEqual([ids]);
      await jest.advanceTimersByTimeAsync(CHECK_MS);
      expect(lookUps).toEqual([ids, ids]);
    });

    it('does not look them up again before the previous look-up has ended', async () => {
      let end: (final: readonly FinalExecution[]) => void = () => undefined;
      answer = () => new Promise((resolve) => (end = resolve));
      await jest.advanceTimersByTimeAsync(3 * CHECK_MS);
      expect(lookUps).toEqual([ids]);
      end([]);
      await jest.advanceTimersByTimeAsync(CHECK_MS);
      expect(lookUps).toEqual([ids, ids]);
    });
  });
});

/** A client that accepts written bytes only when the test calls `accept`. */
class SlowClient implements StreamSink {
  readonly queuedBytes = 0;
  written = '';
  ended = false;
  private onAccepted: (open: boolean) => void = () => undefined;

  types(): string[] {
    return [...this.written.matchAll(/^event: (.*)$/gm)].map(([, type]) => type ?? '');
  }

  /** Accepts all queued bytes and waits until the stream has reacted. */
  async accept(): Promise<void> {
    this.onAccepted(!this.ended);
    await new Promise((resolve) => setImmediate(resolve));
  }

  write(bytes: Uint8Array | string): void {
    this.written += String(bytes);
  }

  drained(): Promise<boolean> {
    return new Promise((resolve) => (this.onAccepted = resolve));
  }

  end(): void {
    this.ended = true;
  }

  closeWhenStalled(): void {
    // Never disconnected in these tests.
  }

  destroy(): void {
    this.ended = true;
  }

  onClose(): void {
    // Never closes in these tests.
  }
}
