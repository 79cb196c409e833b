import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startTimeOf } from '../provision/process-identity.js';
import { lockDataFolder } from './data-folder-lock.js';

describe('the lock of a data folder', () => {
  let folder: string;
  let lock: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'data-folder-'));
    lock = join(folder, 'start.lock');
  });

  afterEach(() => rmSync(folder, { recursive: true }));

  it('is held until it is released, and leaves nothing behind', () => {
    const release = lockDataFolder(folder);
    expect(readdirSync(folder)).toEqual(['start.lock']);
    release();
    expect(existsSync(lock)).toBe(false);
  });

  it('refuses a second start while the first one lives', () => {
    writeFileSync(lock, JSON.stringify({ pid: process.ppid, startTime: startTimeOf(process.ppid) }));
    expect(() => lockDataFolder(folder)).toThrow(`The platform already runs on ${folder} (process ${process.ppid}).`);
    expect(readdirSync(folder)).toEqual(['start.lock']);
  });

  it.each([
    ['whose process is gone', JSON.stringify({ pid: 999_999_999, startTime: '1' })],
    ['whose process id another program has now', JSON.stringify({ pid: process.ppid, startTime: 'another' })],
    ['that is cut short', '{"pid":'],
    ['that is empty', ''],
  ])('takes over one %s', (_, content) => {
    writeFileSync(lock, content);
    const release = lockDataFolder(folder);
    expect(() => lockDataFolder(folder)).toThrow(/already runs/);
    release();
  });
});
