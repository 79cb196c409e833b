import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { isJestStuck, STUCK_AFTER_MS, stopStuckFiles } from './stuck-files.js';

const STARTED_AT = 1_000_000;

describe('test files that are stuck', () => {
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'stuck-files-'));
    jest.spyOn(console, 'error').mockReturnValue();
  });
  afterEach(() => {
    jest.restoreAllMocks();
    rmSync(folder, { recursive: true });
  });

  function record(pid: number): string {
    const path = join(folder, `${pid}.running`);
    const running = { pid, file: 'test/a.e2e-spec.ts', test: 'waits', started_at: STARTED_AT };
    writeFileSync(path, JSON.stringify(running));
    return path;
  }

  it('are stopped, with their name and test', async () => {
    const worker = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
    const path = record(worker.pid ?? 0);
    stopStuckFiles(folder, process.pid, STARTED_AT + STUCK_AFTER_MS - 1);
    expect(existsSync(path)).toBe(true);
    stopStuckFiles(folder, process.pid, STARTED_AT + STUCK_AFTER_MS);
    expect(await once(worker, 'exit')).toEqual([null, 'SIGKILL']);
    expect(existsSync(path)).toBe(false);
    expect(jest.mocked(console.error).mock.calls.join()).toContain(
      'test/a.e2e-spec.ts has run for 15 minutes and is stopped, in the test "waits".',
    );
  });

  it('are forgotten if their worker has ended', async () => {
    const worker = spawn(process.execPath, ['-e', '']);
    await once(worker, 'exit');
    const path = record(worker.pid ?? 0);
    stopStuckFiles(folder, process.pid, STARTED_AT + STUCK_AFTER_MS);
    expect(existsSync(path)).toBe(false);
  });

  it('are not stopped in a process that is not a worker of this run', () => {
    const path = record(process.ppid);
    stopStuckFiles(folder, process.pid, STARTED_AT + STUCK_AFTER_MS);
    expect(existsSync(path)).toBe(false);
    expect(console.error).not.toHaveBeenCalled();
  });

  it('are left alone in the process of Jest itself', () => {
    const path = record(process.pid);
    stopStuckFiles(folder, process.pid, STARTED_AT + STUCK_AFTER_MS);
    expect(existsSync(path)).toBe(true);
  });

  it('are not looked for in a record that is not complete', () => {
    writeFileSync(join(folder, '1.running'), '{"pid":');
    expect(() => stopStuckFiles(folder, process.pid, STARTED_AT + STUCK_AFTER_MS)).not.toThrow();
  });
});

describe('Jest', () => {
  it('is stuck if no file runs, and none has started or ended for a long time', () => {
    const folder = mkdtempSync(join(tmpdir(), 'stuck-jest-'));
    const late = Date.now() + 2 * STUCK_AFTER_MS;
    expect(isJestStuck(folder, STARTED_AT, late)).toBe(true);
    expect(isJestStuck(folder, STARTED_AT, Date.now())).toBe(false);
    expect(isJestStuck(folder, late, late + 1)).toBe(false);
    writeFileSync(join(folder, '1.running'), '{}');
    expect(isJestStuck(folder, STARTED_AT, late)).toBe(false);
    rmSync(folder, { recursive: true });
  });
});
