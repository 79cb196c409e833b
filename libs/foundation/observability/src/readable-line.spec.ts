import { describe, expect, it } from '@jest/globals';
import { readableLine } from './readable-line.js';

const ENTRY = { level: 'warn', time: '2026-01-02T03:04:05.678Z', pid: 7, part: 'worker', msg: 'the model is slow' };

describe('readableLine', () => {
  it('has the time, the level, the part, the message and the fields', () => {
    const line = readableLine(JSON.stringify({ ...ENTRY, execution_id: 'e1', attempt: 2 }));
    expect(line).toBe('03:04:05.678 WARN  worker: the model is slow execution_id="e1" attempt=2\n');
  });

  it('has the stack of an error on lines of its own', () => {
    const err = { type: 'Error', message: 'boom', stack: 'Error: boom\n    at run (worker.js:1:2)' };
    expect(readableLine(JSON.stringify({ ...ENTRY, err }))).toBe(
      '03:04:05.678 WARN  worker: the model is slow\n  Error: boom\n  at run (worker.js:1:2)\n',
    );
  });

  it('contains no character that controls the terminal', () => {
    const line = readableLine(JSON.stringify({ ...ENTRY, msg: 'a\u001b[2Jb\u009bc', output: '\u001b]0;x\u0007' }));
    // oxlint-disable-next-line no-control-regex
    expect(line).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/);
    expect(line).toContain('a[2Jbc');
  });
});
