import { describe, expect, it } from '@jest/globals';
import { SystemClock } from '@app/kernel';
import type { EventHub } from './event-hub.js';
import type { EventLog } from './event-log.js';
import { EventStream } from './event-stream.js';
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

describe('the event stream', () => {
  it('listens to nothing for a client that has gone before its stream began', () => {
    const attached: unknown[] = [];
    const hub = {
      attach: (reader: unknown) => Promise.resolve(attached.push(reader)),
      detach: () => undefined,
    } as unknown as EventHub;
    const stream = new EventStream({} as EventLog, hub, new SystemClock());
    stream.open(goneSink, {
      execution: { id: 'run', organization_id: 'org', status: 'running' },
      messages: [],
      done: null,
      findFinal: () => Promise.resolve([]),
      lastEventId: null,
    });
    expect(attached).toEqual([]);
  });
});
