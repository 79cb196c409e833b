import { chmodSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@app/testing';
import { Agentctl } from '../support/agentctl.js';
import { Platform } from '../support/platform.js';

describe('agentctl open', () => {
  let platform: Platform;
  const cli = new Agentctl();

  beforeAll(async () => {
    platform = await Platform.shared();
    await cli.install();
    await cli.signIn(platform);
  });

  afterAll(async () => {
    cli.remove();
    await platform?.stop();
  });

  it('opens the console in the browser of the user, without the key', async () => {
    const opened = join(cli.folder, 'opened');
    const BROWSER = cli.write('browser', `#!/bin/sh\nprintf %s "$1" > '${opened}'\n`);
    chmodSync(BROWSER, 0o755);
    const address = `${platform.url}/console/jobs/job_1`;
    expect(await cli.run(['open', '/jobs/job_1'], { BROWSER })).toMatchObject({ code: 0, stdout: `${address}\n` });
    await eventually(() => expect(readFileSync(opened, 'utf8')).toBe(address));
    expect(await cli.run(['open', '--print'], { BROWSER: '/none' })).toMatchObject({ code: 0 });
    expect(await cli.run(['open'], { BROWSER: '/none' })).toMatchObject({
      code: 69,
      stderr: expect.stringContaining('Open the address'),
    });
    expect(await cli.run(['open', '../../elsewhere'])).toMatchObject({ code: 64 });
  });
});
