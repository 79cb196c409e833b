import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import fs, { existsSync, linkSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startTimeOf } from '../provision/process-identity.js';
import { lockDataFolder } from './data-folder-lock.js';

const gone = JSON.stringify({ pid: 999_999_999, startTime: '1' });

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
    ['whose process is gone', gone],
    ['whose process id another program has now', JSON.stringify({ pid: process.ppid, startTime: 'another' })],
    ['that is cut short', '{"pid":'],
    ['that is empty', ''],
  ])('takes over one %s', (_, content) => {
    writeFileSync(lock, content);
    const release = lockDataFolder(folder);
    expect(() => lockDataFolder(folder)).toThrow(/already runs/);
    release();
  });

  it('leaves it to another start that takes it over in the same moment', () => {
    writeFileSync(lock, gone);
    const taken = JSON.stringify({ pid: process.ppid, startTime: startTimeOf(process.ppid) });
    const { readFileSync: read } = fs;
    const reading = jest.spyOn(fs, 'readFileSync').mockImplementation((path, options) => {
      const content = read(path, options);
      if (path !== lock) return content;
      reading.mockRestore();
      rmSync(lock);
      writeFileSync(lock, taken);
      return content;
    });
    expect(() => lockDataFolder(folder)).toThrow(`The platform already runs on ${folder} (process ${process.ppid}).`);
    expect(readFileSync(lock, 'utf8')).toBe(taken);
    expect(readdirSync(folder)).toEqual(['start.lock']);
  });

  it('takes over one whose take-over was cut off', () => {
    writeFileSync(lock, gone);
    writeFileSync(`${lock}.stale`, gone);
    const release = lockDataFolder(folder);
    expect(readdirSync(folder)).toEqual(['start.lock']);
    release();
  });

  it('takes over one of a former process of the same id that died while it took it', () => {
    writeFileSync(lock, JSON.stringify({ pid: process.pid, startTime: 'another' }));
    linkSync(lock, `${lock}.${process.pid}`);
    const release = lockDataFolder(folder);
    release();
    expect(readdirSync(folder)).toEqual([]);
  });

  it('says in one line why a folder cannot be made: where none may be, and where the disk is read-only', () => {
    expect(() => lockDataFolder('/proc/nowhere/data')).toThrow(
      'Cannot write to the data folder /proc/nowhere/data: no folder can be made there.',
    );
    const mkdir = jest.spyOn(fs, 'mkdirSync').mockImplementation((path, options) => {
      // As Node does: the reason is hidden where folders are to be made recursively.
      const code = (options as { recursive?: boolean }).recursive === true ? 'ENOENT' : 'EROFS';
      throw Object.assign(new Error(`${code}, mkdir ${String(path)}`), { code });
    });
    expect(() => lockDataFolder(join(folder, 'a', 'b'))).toThrow(/b: it is on a read-only file system\.$/);
    mkdir.mockRestore();
  });
});
