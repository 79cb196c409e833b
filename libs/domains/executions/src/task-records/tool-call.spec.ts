import { describe, expect, it } from '@jest/globals';
import type { JsonObject } from '@app/kernel';
import { boundedToolCall, toToolCall } from './tool-call.js';

const LIMIT = 65_536;
const created_at = new Date('2026-01-02T03:04:06.000Z');
const read = (record: JsonObject): object =>
  toToolCall({ organization_id: 'o', execution_id: 'e', kind: 'tool_call', record_id: 'r', record, created_at });

describe('tool calls', () => {
  it('are read from records of workers, with the time between start and end as their duration', () => {
    const call = {
      tool_execution_id: 'c1',
      tool_name: 'search',
      message_id: 'm1',
      member_name: 'Ada',
      attempt: 2,
      arguments: { q: 'x' },
      output: { hits: [1] },
      error: null,
      status: 'success',
      started_at: '2026-01-02T03:04:05.000Z',
      completed_at: '2026-01-02T03:04:05.250Z',
    };
    expect(read(call)).toEqual({
      ...call,
      output: '{"hits":[1]}',
      started_at: new Date(call.started_at),
      completed_at: new Date(call.completed_at),
      duration_ms: 250,
      truncated: false,
    });
  });

  it('may have the field names of events, and fields of wrong types count as missing', () => {
    expect(read({ tool_arguments: [1], tool_output: 'x', tool_name: 7, attempt: 'two', started_at: 'soon' })).toEqual({
      tool_execution_id: 'r',
      tool_name: null,
      message_id: null,
      member_name: null,
      attempt: null,
      arguments: { value: [1] },
      output: 'x',
      error: null,
      status: null,
      started_at: null,
      completed_at: created_at,
      duration_ms: null,
      truncated: false,
    });
  });

  it('contain at most 64 KiB each of arguments, output and error, and set `truncated`', () => {
    const fits = { arguments: { a: 'x' }, output: 'y'.repeat(LIMIT), tool_error: null };
    expect(boundedToolCall(fits)).toBe(fits);
    const output = `${'y'.repeat(LIMIT - 1)}é`;
    const bounded = boundedToolCall({ arguments: { a: 'x'.repeat(LIMIT) }, output, tool_error: 'e', id: 1 });
    expect(bounded).toEqual({
      arguments: `{"a":"${'x'.repeat(LIMIT - 6)}`,
      output: 'y'.repeat(LIMIT - 1),
      tool_error: 'e',
      id: 1,
      truncated: true,
    });
    expect(read(bounded)).toMatchObject({ arguments: { value: bounded['arguments'] }, truncated: true });
  });

  it('keep the replacement characters that a worker stored instead of NUL', () => {
    const replaced = '\ufffd'.repeat(LIMIT);
    const { output, error, truncated } = boundedToolCall({ output: replaced, error: `${replaced}\u00e9` });
    const kept = replaced.slice(0, Math.floor(LIMIT / 3));
    expect([output === kept, error === kept, truncated]).toEqual([true, true, true]);
  });
});
