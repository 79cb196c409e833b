import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Platform } from '../support/platform.js';

const GREET = join(__dirname, '..', '..', 'dist/examples/greet.js');

describe('the TypeScript example', () => {
  let platform: Platform;

  beforeAll(async () => {
    platform = await Platform.shared();
    await platform.startWorker();
  });
  afterAll(() => platform.stop());

  it('prints its usage without an address and a key', async () => {
    for (const args of [[], [platform.url]]) {
      const run = promisify(execFile)(process.execPath, [GREET, ...args]);
      await expect(run).rejects.toMatchObject({
        code: 64,
        stdout: '',
        stderr: expect.stringMatching(/^Usage: node dist\/examples\/greet\.js .+\n$/),
      });
    }
  });

  it('starts an execution and prints its events until it ends', async () => {
    const { stdout } = await promisify(execFile)(process.execPath, [GREET, platform.url, platform.adminKey]);
    expect(stdout).toContain('connected');
    expect(stdout).toMatch(/done \{[^}]*status: 'completed'/);
  });
});
