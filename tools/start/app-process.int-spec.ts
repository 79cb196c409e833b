import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { projectRoot } from '../provision/project-root.js';
import { AppProcess } from './app-process.js';

describe('AppProcess', () => {
  const { execPath } = process;
  let folder: string;
  let app: AppProcess | undefined;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'app-'));
  });

  afterEach(async () => {
    process.execPath = execPath;
    app?.kill();
    await app?.exited;
    rmSync(folder, { recursive: true });
  });

  function start(script: string): AppProcess {
    writeFileSync(join(folder, 'app.js'), script);
    const entry = relative(join(projectRoot, 'dist'), join(folder, 'app'));
    const logFile = join(folder, 'app.log');
    app = AppProcess.start({ name: 'app', entry, env: process.env, logFile, onLine: () => undefined });
    return app;
  }

  it('returns the matching line, however much is printed after it', async () => {
    const more = `for (let n = 0; n < 500; n += 1) console.log('line', n);`;
    await expect(
      start(`console.log('ready at 7'); ${more} setInterval(() => 0, 1000);`).printed(/^ready at (.+)/),
    ).resolves.toBe('7');
  });

  it('returns a matching line that was printed before the call', async () => {
    const started = start(`console.log('first 1'); console.log('second 2'); setInterval(() => 0, 1000);`);
    await started.printed(/^second (.+)/);
    await expect(started.printed(/^first (.+)/)).resolves.toBe('1');
  });

  it('rejects with the end of the log when the process exits before it is ready', async () => {
    const printed = start(`console.log('no database');`).printed(/^ready at (.+)/);
    await expect(printed).rejects.toMatchObject({
      message: 'The app exited before it was ready.',
      remedy: expect.stringContaining('no database'),
    });
  });

  it('rejects with the reason when the process cannot be started', async () => {
    process.execPath = join(folder, 'nothing');
    const started = start('');
    await expect(started.printed(/^ready at (.+)/)).rejects.toMatchObject({
      message: 'The app exited before it was ready.',
      remedy: expect.stringContaining('ENOENT'),
    });
    await started.stop(1_000);
  });
});
