import { describe, expect, it } from '@jest/globals';
import { readableLine, withoutKeys } from './log-lines.js';

describe('readableLine', () => {
  it('prints time, level, process, part, message and fields', () => {
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

  it('prints the message of an error and omits empty fields', () => {
    const entry = {
      level: 'warn',
      time: '2026-11-21T12:01:02.345Z',
      msg: 'failed',
      trace_id: '',
      err: { message: 'no', stack: 's' },
    };
    expect(readableLine('worker', JSON.stringify(entry))).toBe('12:01:02.345 warn  worker         failed  error=no');
  });

  it('omits a part with the same name as the process', () => {
    expect(readableLine('worker', '{"level":"info","part":"worker","msg":"registered"}')).toMatch(
      /worker +registered$/,
    );
  });

  it('prints a line that is not JSON unchanged', () => {
    expect(readableLine('worker', '{oops')).toMatch(/worker +\{oops$/);
  });
});

describe('withoutKeys', () => {
  it('masks API keys', () => {
    const key = `ak_${'aZ09'.repeat(9)}`;
    expect(withoutKeys(`{"msg":"first key: ${key}"}`)).toBe('{"msg":"first key: ak_***"}');
  });
});
