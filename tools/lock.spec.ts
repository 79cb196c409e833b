import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { projectRoot } from './provision/project-root.js';

const goneHolder = '999999999';

describe('the lock of a folder that is being made', () => {
  let folder: string;
  let lock: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'lock-'));
    lock = join(folder, '.lock');
  });

  afterEach(() => rmSync(folder, { recursive: true }));

  /** Runs statements in a process of their own that may take the lock; answers what it printed. */
  function run(statements: string): string {
    const script = `
      import { readFileSync, rmSync, writeFileSync } from 'node:fs';
      import { takeLock } from ${JSON.stringify(join(projectRoot, 'tools/lock.mjs'))};
      const lock = ${JSON.stringify(lock)};
      ${statements}`;
    const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
      encoding: 'utf8',
      timeout: 30_000,
    });
    return stdout + stderr;
  }

  it('names its holder, and is gone with it', () => {
    expect(run(`takeLock(lock); console.log(readFileSync(lock, 'utf8') === String(process.pid));`)).toBe('true\n');
    expect(readdirSync(folder)).toEqual([]);
  });

  it.each([
    ['whose process is gone', () => writeFileSync(lock, goneHolder)],
    ['that is empty', () => writeFileSync(lock, '')],
    ['that is a folder', () => mkdirSync(lock)],
  ])('takes over one %s', (_, leave) => {
    leave();
    expect(run(`takeLock(lock); console.log('taken');`)).toBe('taken\n');
  });

  it('takes over one whose take-over was cut off', () => {
    writeFileSync(lock, goneHolder);
    writeFileSync(`${lock}.stale`, goneHolder);
    expect(run(`takeLock(lock); console.log('taken');`)).toBe('taken\n');
    expect(readdirSync(folder)).toEqual([]);
  });

  it('waits for another process that takes it over in the same moment', () => {
    writeFileSync(lock, goneHolder);
    // The first look learns that the holder is gone, and then the other process is quicker; the third one lets it go.
    const printed = run(`
      const kill = process.kill;
      let looks = 0;
      process.kill = (pid, signal) => {
        looks += 1;
        if (looks === 1) writeFileSync(lock, String(process.ppid));
        if (looks === 1) throw Object.assign(new Error('gone'), { code: 'ESRCH' });
        if (looks === 3) rmSync(lock);
        return kill.call(process, pid, signal);
      };
      takeLock(lock);
      console.log(looks, readFileSync(lock, 'utf8') === String(process.pid));`);
    expect(printed).toBe('3 true\n');
  });

  it('is held by one of many at a time', () => {
    const counter = join(folder, 'counter');
    writeFileSync(counter, '0');
    writeFileSync(lock, goneHolder);
    const printed = run(`
      import { spawn } from 'node:child_process';
      const child = \`
        import { readFileSync, writeFileSync } from 'node:fs';
        import { takeLock } from ${JSON.stringify(join(projectRoot, 'tools/lock.mjs'))};
        for (let n = 0; n < 20; n += 1) {
          const release = takeLock(${JSON.stringify(lock)});
          writeFileSync(${JSON.stringify(counter)}, String(Number(readFileSync(${JSON.stringify(counter)}, 'utf8')) + 1));
          release();
        }\`;
      for (let n = 0; n < 4; n += 1) spawn(process.execPath, ['--input-type=module', '-e', child], { stdio: 'inherit' });`);
    expect(printed).toBe('');
    expect(readFileSync(counter, 'utf8')).toBe('80');
  });
});
