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

  it('starts an execution and prints its events until it ends', async () => {
    const { stdout } = await promisify(execFile)(process.execPath, [GREET, platform.url, platform.adminKey]);
    expect(stdout).toContain('connected');
    expect(stdout).toMatch(/done \{[^}]*status: 'completed'/);
  });
});
