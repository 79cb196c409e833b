import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@app/testing';
import { Agentctl, hasTerminals } from '../support/agentctl.js';
import { Platform } from '../support/platform.js';

const inTerminal = hasTerminals ? it : it.skip;

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

  inTerminal('a deletion asks on a terminal, unless --yes is given', async () => {
    for (const name of ['kept', 'dropped']) await cli.run(['agents', 'create', '--set', `name=${name}`]);
    const refused = cli.startInTerminal('agents delete kept dropped');
    await eventually(() => expect(refused.stdout).toContain('Delete agent/kept, agent/dropped? [y/N]'));
    refused.type('\r');
    expect(await refused.exit()).toBe(1);
    expect((await cli.run(['agents', 'get', 'dropped'])).code).toBe(0);
    const agreed = cli.startInTerminal('agents delete kept');
    await eventually(() => expect(agreed.stdout).toContain('[y/N]'));
    agreed.type('y\r');
    expect(await agreed.exit()).toBe(0);
    expect(await cli.startInTerminal('agents delete dropped --yes').exit()).toBe(0);
    for (const name of ['kept', 'dropped']) expect((await cli.run(['agents', 'get', name])).code).toBe(1);
  });
});
