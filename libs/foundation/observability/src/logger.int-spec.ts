import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it } from '@jest/globals';
import { join } from 'node:path';

/** The built module, because the test starts a process. */
const LOGGER = join(__dirname, '..', '..', '..', '..', 'dist/libs/foundation/observability/src/index.js');

const env = { ...process.env, LOG_LEVEL: 'info' };

describe('the logger', () => {
  it('lets the process exit after the reader of its output has closed', async () => {
    const script = `
      import { createLogger } from ${JSON.stringify(LOGGER)};
      const logger = createLogger('test');
      process.stdin.once('data', () => {
        for (let n = 0; n < 100; n += 1) logger.info({ n }, 'unread line');
        process.exit(7);
      });
      process.stderr.write('ready');`;
    const child = spawn(process.execPath, ['--input-type=module', '--eval', script], {
      env,
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    const ended = once(child, 'exit');
    await once(child.stderr, 'data');
    child.stdout.destroy();
    child.stdin.write('go');
    expect((await ended)[0]).toBe(7);
  });

  it('redacts secrets in nested objects', async () => {
    const script = `
      import { createLogger } from ${JSON.stringify(LOGGER)};
      createLogger('test').info({ api_key: 'sk-1', headers: { authorization: 'sk-2' }, a: { b: { token: 'sk-3' } } }, 'x');`;
    const child = spawn(process.execPath, ['--input-type=module', '--eval', script], {
      env,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const chunks: Buffer[] = [];
    child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
    await once(child, 'close');
    const line = Buffer.concat(chunks).toString();
    expect(line).toContain('[redacted]');
    expect(line).not.toContain('sk-');
  });
});
