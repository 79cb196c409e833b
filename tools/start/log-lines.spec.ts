import { describe, expect, it } from '@jest/globals';
import { readableLine, withoutKeys } from './log-lines.js';

describe('readable log line', () => {
  it('shows time, level, process, part, message and the values', () => {
    const entry = {
      level: 'info',
      time: '2026-11-21T12:01:02.345Z',
      pid: 7,
      part: 'relay',
      msg: 'work queued',
      attempt: 1,
    };
    expect(readableLine('control-plane', JSON.stringify(entry))).toBe(
      '12:01:02.345 info  control-plane  relay  work queued  attempt=1',
    );
  });

  it('shows the message of an error and leaves out empty values', () => {
    const entry = {
      level: 'warn',
      time: '2026-11-21T12:01:02.345Z',
      msg: 'failed',
      trace_id: '',
      err: { message: 'no', stack: 's' },
    };
    expect(readableLine('worker', JSON.stringify(entry))).toBe('12:01:02.345 warn  worker         failed  error=no');
  });

  it('does not name a part that is called like the process', () => {
    expect(readableLine('worker', '{"level":"info","part":"worker","msg":"registered"}')).toMatch(
      /worker +registered$/,
    );
  });

  it('shows a line that is not JSON as it is', () => {
    expect(readableLine('worker', '{oops')).toMatch(/worker +\{oops$/);
  });
});

describe('a line for a log file', () => {
  it('keeps no API key', () => {
    const key = `ak_${'aZ09'.repeat(9)}`;
    expect(withoutKeys(`{"msg":"first key: ${key}"}`)).toBe('{"msg":"first key: ak_***"}');
  });
});
