import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import fs, { existsSync, linkSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startTimeOf } from '../provision/process-identity.js';
import { lockDataFolder } from './data-folder-lock.js';

const endedHolder = JSON.stringify({ pid: 999_999_999, startTime: '1' });

describe('lockDataFolder', () => {
  let folder: string;
  let lock: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'data-folder-'));
    lock = join(folder, 'start.lock');
  });

  afterEach(() => rmSync(folder, { recursive: true }));

  it('holds the lock until it is released, and leaves no file', () => {
    const release = lockDataFolder(folder);
    expect(readdirSync(folder)).toEqual(['start.lock']);
    release();
    expect(existsSync(lock)).toBe(false);
  });

  it('rejects a second start while the first one runs', () => {
    writeFileSync(lock, JSON.stringify({ pid: process.ppid, startTime: startTimeOf(process.ppid) }));
    expect(() => lockDataFolder(folder)).toThrow(
      `The platform is already running on ${folder} (process ${process.ppid}).`,
    );
    expect(readdirSync(folder)).toEqual(['start.lock']);
  });

  it.each([
    ['whose process has ended', endedHolder],
    ['whose process id now belongs to another program', JSON.stringify({ pid: process.ppid, startTime: 'another' })],
    ['that is truncated', '{"pid":'],
    ['that is empty', ''],
  ])('takes over a lock %s', (_, content) => {
    writeFileSync(lock, content);
    const release = lockDataFolder(folder);
    expect(() => lockDataFolder(folder)).toThrow(/already running/);
    release();
  });

  it('fails if another start takes the lock over at the same time', () => {
    writeFileSync(lock, endedHolder);
    const otherHolder = JSON.stringify({ pid: process.ppid, startTime: startTimeOf(process.ppid) });
    const { readFileSync: read } = fs;
    const reading = jest.spyOn(fs, 'readFileSync').mockImplementation((path, options) => {
      const content = read(path, options);
      if (path !== lock) return content;
      reading.mockRestore();
      rmSync(lock);
      writeFileSync(lock, otherHolder);
      return content;
    });
    expect(() => lockDataFolder(folder)).toThrow(
      `The platform is already running on ${folder} (process ${process.ppid}).`,
    );
    expect(readFileSync(lock, 'utf8')).toBe(otherHolder);
    expect(readdirSync(folder)).toEqual(['start.lock']);
  });

  it('takes over a lock whose takeover was interrupted', () => {
    writeFileSync(lock, endedHolder);
    writeFileSync(`${lock}.stale`, endedHolder);
    const release = lockDataFolder(folder);
    expect(readdirSync(folder)).toEqual(['start.lock']);
    release();
  });

  it('takes over a lock of an earlier process with the same id that died while acquiring it', () => {
    writeFileSync(lock, JSON.stringify({ pid: process.pid, startTime: 'another' }));
    linkSync(lock, `${lock}.${process.pid}`);
    const release = lockDataFolder(folder);
    release();
    expect(readdirSync(folder)).toEqual([]);
  });

  it('explains in one line why the folder cannot be created', () => {
    expect(() => lockDataFolder('/proc/nowhere/data')).toThrow(
      'Cannot write to the data folder /proc/nowhere/data: no folder can be created there.',
    );
    const mkdir = jest.spyOn(fs, 'mkdirSync').mockImplementation((path, options) => {
      // Node hides the real reason in the same way if `recursive` is set.
      const code = (options as { recursive?: boolean }).recursive === true ? 'ENOENT' : 'EROFS';
      throw Object.assign(new Error(`${code}, mkdir ${String(path)}`), { code });
    });
    expect(() => lockDataFolder(join(folder, 'a', 'b'))).toThrow(/b: it is on a read-only file system\.$/);
    mkdir.mockRestore();
  });
});
