import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { projectRoot } from './provision/project-root.js';

const endedHolder = '999999999';

describe('acquireLock', () => {
  let folder: string;
  let lock: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'lock-'));
    lock = join(folder, '.lock');
  });

  afterEach(() => rmSync(folder, { recursive: true }));

  /** Runs statements in a child process that may acquire the lock; returns what it printed. */
  function run(statements: string): string {
    const script = `
      import { readFileSync, rmSync, writeFileSync } from 'node:fs';
      import { acquireLock } from ${JSON.stringify(join(projectRoot, 'tools/lock.js'))};
      const lock = ${JSON.stringify(lock)};
      ${statements}`;
    const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
      encoding: 'utf8',
      timeout: 100_000,
    });
    return stdout + stderr;
  }

  it('contains the process id of its holder and is removed when the holder exits', () => {
    expect(run(`acquireLock(lock); console.log(readFileSync(lock, 'utf8') === String(process.pid));`)).toBe('true\n');
    expect(readdirSync(folder)).toEqual([]);
  });

  it.each([
    ['whose process has ended', () => writeFileSync(lock, endedHolder)],
    ['that is empty', () => writeFileSync(lock, '')],
    ['that is a folder', () => mkdirSync(lock)],
  ])('takes over a lock %s', (_, leave) => {
    leave();
    expect(run(`acquireLock(lock); console.log('acquired');`)).toBe('acquired\n');
  });

  it('takes over a lock whose takeover was interrupted', () => {
    writeFileSync(lock, endedHolder);
    writeFileSync(`${lock}.stale`, endedHolder);
    expect(run(`acquireLock(lock); console.log('acquired');`)).toBe('acquired\n');
    expect(readdirSync(folder)).toEqual([]);
  });

  it('waits for another process that takes the lock over at the same time', () => {
    writeFileSync(lock, endedHolder);
    // At the first check the holder has ended and the other process is faster; at the third check it releases the lock.
    const printed = run(`
      const kill = process.kill;
      let checks = 0;
      process.kill = (pid, signal) => {
        checks += 1;
        if (checks === 1) writeFileSync(lock, String(process.ppid));
        if (checks === 1) throw Object.assign(new Error('ended'), { code: 'ESRCH' });
        if (checks === 3) rmSync(lock);
        return kill.call(process, pid, signal);
      };
      acquireLock(lock);
      console.log(checks, readFileSync(lock, 'utf8') === String(process.pid));`);
    expect(printed).toBe('3 true\n');
  });

  it('is held by one process at a time', () => {
    const counter = join(folder, 'counter');
    writeFileSync(counter, '0');
    writeFileSync(lock, endedHolder);
    const printed = run(`
      import { spawn } from 'node:child_process';
      const child = \`
        import { readFileSync, writeFileSync } from 'node:fs';
        import { acquireLock } from ${JSON.stringify(join(projectRoot, 'tools/lock.js'))};
        for (let n = 0; n < 20; n += 1) {
          const release = acquireLock(${JSON.stringify(lock)});
          writeFileSync(${JSON.stringify(counter)}, String(Number(readFileSync(${JSON.stringify(counter)}, 'utf8')) + 1));
          release();
        }\`;
      for (let n = 0; n < 4; n += 1) spawn(process.execPath, ['--input-type=module', '-e', child], { stdio: 'inherit' });`);
    expect(printed).toBe('');
    expect(readFileSync(counter, 'utf8')).toBe('80');
  });
});
