import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { batchOf, encodeFrameBody, encodeOwnFrame, gapFrame, readFrame, type EventFrame } from './event-frame.js';

const timestamp = '2026-01-01T00:00:00.000Z';

describe('event frames', () => {
  it('wrap the data of most types beside the timestamp', () => {
    expect(encodeFrameBody({ event_type: 'tool_started', data: { a: 1 }, timestamp })).toBe(
      `event: tool_started\ndata: {"data":{"a":1},"timestamp":"${timestamp}"}\n\n`,
    );
  });

  it.each(['message', 'status', 'error', 'done'])('lay the data of %s flat', (type) => {
    expect(encodeFrameBody({ event_type: type, data: { a: 1 }, timestamp })).toBe(
      `event: ${type}\ndata: {"a":1,"timestamp":"${timestamp}"}\n\n`,
    );
  });

  it('keep a timestamp that flat data has of its own', () => {
    const frame = encodeFrameBody({ event_type: 'message', data: { timestamp: 'then', a: 1 }, timestamp });
    expect(frame).toBe('event: message\ndata: {"timestamp":"then","a":1}\n\n');
  });

  it('are always two lines and a blank one, whatever the data holds', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string({ unit: 'binary' }), fc.json()), (data) => {
        const lines = encodeFrameBody({ event_type: 'x', data, timestamp }).split(/\r\n|\r|\n/);
        expect(lines).toHaveLength(4);
        expect(JSON.parse(lines[1]?.slice('data: '.length) ?? '')).toEqual({ data: { ...data }, timestamp });
      }),
    );
  });

  it.each(['\u0085', '\u2028', '\u2029'])('are one line also to clients that break lines at %j', (separator) => {
    const data = { content: `a${separator}b` };
    for (const frame of [encodeFrameBody({ event_type: 'x', data, timestamp }), encodeOwnFrame('message', data)]) {
      expect(frame).not.toContain(separator);
      expect(JSON.stringify(JSON.parse(/^data: (.*)$/m.exec(frame)?.[1] ?? ''))).toContain(JSON.stringify(data));
    }
  });

  it.each(['a\nid: forged', 'a\rdata: forged', '\n', 'a\0', '', 'x'.repeat(101)])('refuse the type %j', (type) => {
    expect(() => encodeFrameBody({ event_type: type, data: {}, timestamp })).toThrow(
      expect.objectContaining({ kind: 'invalid' }),
    );
  });

  it('take a type of a hundred characters of any plane', () => {
    const type = '😀'.repeat(100);
    expect(encodeFrameBody({ event_type: type, data: {}, timestamp })).toContain(`event: ${type}\n`);
  });

  it('are read back with their id and type', () => {
    const bytes = Buffer.from(`id: run_7_99\n${encodeFrameBody({ event_type: 'größe', data: {}, timestamp })}`);
    expect(readFrame('run', bytes)).toEqual({ id: { counter: 7, micros: 99 }, type: 'größe', bytes });
    expect(() => readFrame('other', bytes)).toThrow('holds what is no frame');
  });

  it('of the stream itself have no id, so a client keeps the last one it knows', () => {
    expect(encodeOwnFrame('connected', { status: 'running' })).toBe('event: connected\ndata: {"status":"running"}\n\n');
    expect(gapFrame('x\nid: 1', 'expired')).toBe(
      'event: gap_detected\ndata: {"last_known_id":"x\\nid: 1","reason":"expired"}\n\n',
    );
  });

  it('that arrive together are joined once, and a hole between them shows', () => {
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
