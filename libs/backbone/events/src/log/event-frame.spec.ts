import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  batchOf,
  encodeFrameBody,
  encodeStreamFrame,
  gapFrame,
  isDecodable,
  readEvent,
  readFrame,
  type EventFrame,
} from './event-frame.js';

const timestamp = '2026-01-01T00:00:00.000Z';

describe('event frames', () => {
  it('contain data and timestamp for most types', () => {
    expect(encodeFrameBody({ event_type: 'tool_started', data: { a: 1 }, timestamp })).toBe(
      `event: tool_started\ndata: {"data":{"a":1},"timestamp":"${timestamp}"}\n\n`,
    );
  });

  it.each(['message', 'status', 'error', 'done'])('are flat for the type %s', (type) => {
    expect(encodeFrameBody({ event_type: type, data: { a: 1 }, timestamp })).toBe(
      `event: ${type}\ndata: {"a":1,"timestamp":"${timestamp}"}\n\n`,
    );
  });

  it('keep a timestamp inside flat data', () => {
    const frame = encodeFrameBody({ event_type: 'message', data: { timestamp: 'then', a: 1 }, timestamp });
    expect(frame).toBe('event: message\ndata: {"timestamp":"then","a":1}\n\n');
  });

  it('are always two lines and a blank line for any data', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string({ unit: 'binary' }), fc.json()), (data) => {
        const lines = encodeFrameBody({ event_type: 'x', data, timestamp }).split(/\r\n|\r|\n/);
        expect(lines).toHaveLength(4);
        expect(JSON.parse(lines[1]?.slice('data: '.length) ?? '')).toEqual({ data: { ...data }, timestamp });
      }),
    );
  });

  it.each(['\u0085', '\u2028', '\u2029'])('are a single line even for clients that break lines at %j', (separator) => {
    const data = { content: `a${separator}b` };
    for (const frame of [encodeFrameBody({ event_type: 'x', data, timestamp }), encodeStreamFrame('message', data)]) {
      expect(frame).not.toContain(separator);
      expect(JSON.stringify(JSON.parse(/^data: (.*)$/m.exec(frame)?.[1] ?? ''))).toContain(JSON.stringify(data));
    }
  });

  it.each(['a\nid: forged', 'a\rdata: forged', '\n', 'a\0', '', 'x'.repeat(101)])('reject the type %j', (type) => {
    expect(() => encodeFrameBody({ event_type: type, data: {}, timestamp })).toThrow(
      expect.objectContaining({ kind: 'invalid' }),
    );
  });

  it('accept a type of a hundred characters of any Unicode plane', () => {
    const type = '😀'.repeat(100);
    expect(encodeFrameBody({ event_type: type, data: {}, timestamp })).toContain(`event: ${type}\n`);
  });

  it('are parsed with their id and type', () => {
    const bytes = Buffer.from(`id: run_7_99\n${encodeFrameBody({ event_type: 'größe', data: {}, timestamp })}`);
    expect(readFrame('run', bytes)).toEqual({ id: { counter: 7, micros: 99 }, type: 'größe', bytes });
    expect(() => readFrame('other', bytes)).toThrow('contains an invalid frame');
  });

  it.each(['x', 'message'])('of the type %s are decoded to the event with which they were encoded', (type) => {
    fc.assert(
      fc.property(fc.dictionary(fc.string({ unit: 'binary' }), fc.json()), (data) => {
        const body = encodeFrameBody({ event_type: type, data: { ...data, timestamp: 'then' }, timestamp });
        const event = readEvent('run', readFrame('run', Buffer.from(`id: run_7_99000\n${body}`)));
        const { id, logged_at } = event;
        expect({ id, type: event.type, logged_at }).toEqual({ id: 'run_7_99000', type, logged_at: new Date(99) });
        const content = { data: { ...data, timestamp: 'then' }, timestamp: type === 'x' ? timestamp : 'then' };
        expect({ data: event.data, timestamp: event.timestamp }).toEqual(content);
        expect(JSON.parse(event.json)).toEqual(content);
      }),
    );
  });

  it.each<[unknown]>([[{ toString: 0 }], [{}], [['then']], [5], [true], [null]])(
    'take their time from the log if the timestamp inside flat data is %j',
    (wrong) => {
      const body = encodeFrameBody({ event_type: 'message', data: { timestamp: wrong }, timestamp });
      const event = readEvent('run', readFrame('run', Buffer.from(`id: run_7_99000\n${body}`)));
      expect(event.timestamp).toBe('1970-01-01T00:00:00.099Z');
      expect(JSON.parse(event.json)).toEqual({ data: { timestamp: wrong }, timestamp: event.timestamp });
      expect(isDecodable(event)).toBe(true);
    },
  );

  it.each(['data: {', 'data: {\n\n', 'data: {}', 'data: null\n\n', 'x\n\n'])('that end with %j are invalid', (end) => {
    const event = readEvent('run', readFrame('run', Buffer.from(`id: run_7_99\nevent: message\n${end}`)));
    expect(() => event.data).toThrow('contains an invalid frame');
    expect(() => event.json).toThrow('contains an invalid frame');
    expect(isDecodable(event)).toBe(false);
  });

  it('that the stream creates have no id, so a client keeps its last event id', () => {
    expect(encodeStreamFrame('connected', { status: 'running' })).toBe(
      'event: connected\ndata: {"status":"running"}\n\n',
    );
    expect(gapFrame('x\nid: 1', 'expired')).toBe(
      'event: gap_detected\ndata: {"last_known_id":"x\\nid: 1","reason":"expired"}\n\n',
    );
  });

  it('are concatenated in a batch, which shows whether a frame is missing', () => {
    const frame = (counter: number, type = 'x'): EventFrame => {
      const bytes = Buffer.from(`id: run_${counter}_${counter}\nevent: ${type}\ndata: {}\n\n`);
      return readFrame('run', bytes);
    };
    const joined = batchOf([frame(1), frame(2, 'done')]);
    expect(joined).toMatchObject({ connected: true, hasDone: true });
    expect(joined.bytes.toString()).toBe(`${frame(1).bytes.toString()}${frame(2, 'done').bytes.toString()}`);
    expect(batchOf([frame(1), frame(3)])).toMatchObject({ connected: false, hasDone: false });
  });
});
