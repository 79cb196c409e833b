import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Agentctl } from '../support/agentctl.js';
import { Platform } from '../support/platform.js';

describe('mistakes at the command line', () => {
  let platform: Platform;
  const cli = new Agentctl();

  beforeAll(async () => {
    platform = await Platform.start({ platformApi: true });
    await cli.install();
    await cli.signIn(platform);
  });

  afterAll(async () => {
    await platform.stop();
    cli.remove();
  });

  it('an unknown filter is refused, and the known ones are named', async () => {
    await cli.run(['agents', 'create', '--set', 'name=filtered']);
    expect((await cli.run(['agents', 'list', '--filter', 'status=running'])).stdout).not.toContain('filtered');
    expect(await cli.run(['agents', 'list', '--filter', 'statsu=running'])).toEqual({
      code: 64,
      stdout: '',
      stderr: expect.stringMatching(/has no filter statsu\.\n +Filters: status_filter, status\.\n$/),
    });
    expect((await cli.run(['secrets', 'list', '--filter', 'name=x'])).code).toBe(64);
  });
});
