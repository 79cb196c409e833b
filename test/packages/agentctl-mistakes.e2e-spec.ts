import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { createServer, type AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@app/testing';
import { Agentctl, hasTerminals } from '../support/agentctl.js';
import { Platform } from '../support/platform.js';

const inTerminal = hasTerminals ? it : it.skip;

describe('mistakes at the command line', () => {
  let platform: Platform;
  let platformApiUrl: string;
  const cli = new Agentctl();

  beforeAll(async () => {
    platform = await Platform.shared();
    platformApiUrl = platform.platformApi?.url ?? '';
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
      stderr: expect.stringMatching(/has no filter statsu\.\n +Filters: name, status_filter, status\.\n$/),
    });
    expect((await cli.run(['secrets', 'list', '--filter', 'nam=x'])).code).toBe(64);
  });

  it('a policy whose rules have other names is stored and tested with a warning', async () => {
    const misnamed = 'package guard\n\nviolation contains "no" if input.word == "secret"\n';
    const warning =
      'None of the rules allow, violations and deny is defined, so nothing is denied; ' +
      'did you mean violations instead of violation?\n';
    const file = cli.write('misnamed.yaml', JSON.stringify({ name: 'misnamed', policy_content: misnamed }));
    expect(await cli.run(['policies', 'create', '-f', file])).toMatchObject({
      code: 0,
      stderr: `Policy misnamed: ${warning}`,
    });
    expect(await cli.run(['policies', 'test', 'misnamed'])).toMatchObject({
      code: 0,
      stdout: `ok compiles\nwarning ${warning}`,
    });
  });

  it('an address of the wrong API is refused at the login, and the message names this API', async () => {
    const key = { AGENTCTL_API_KEY: platform.adminKey };
    expect(await cli.run(['--profile', 'swapped', 'login', '--url', platformApiUrl], key)).toMatchObject({
      code: 64,
      stderr: expect.stringContaining(
        `${platformApiUrl} is the address of the platform API, not of the control plane.`,
      ),
    });
    const addresses = ['--url', platform.url, '--platform-api-url', platform.url];
    expect(await cli.run(['--profile', 'swapped', 'login', ...addresses], key)).toMatchObject({
      code: 64,
      stderr: expect.stringContaining(`${platform.url} is the address of the control plane, not of the platform API.`),
    });
    expect((await cli.run(['profiles', 'list'])).stdout).not.toContain('swapped');
  });

  it('the address of the platform API comes from the control plane', async () => {
    const key = { AGENTCTL_API_KEY: platform.adminKey };
    const { url } = await platform.startControlPlane({ PUBLIC_PLATFORM_API_URL: platformApiUrl });
    expect(await cli.run(['--profile', 'reported', 'login', '--url', url], key)).toMatchObject({ code: 0 });
    expect((await cli.run(['--profile', 'reported', 'keys', 'list'])).code).toBe(0);
    const none = ['--profile', 'alone', 'login', '--url', url, '--platform-api-url', '-'];
    expect(await cli.run(none, key)).toMatchObject({ code: 0 });
    expect(JSON.parse((await cli.run(['profiles', 'list', '-o', 'json'])).stdout)).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ name: 'reported', platform_api_url: platformApiUrl }),
        expect.objectContaining({ name: 'alone', platform_api_url: null }),
      ]),
    );
    await cli.run(['profiles', 'use', 'default']);
  });

  it('a reported address without a server is stored, and the login says so', async () => {
    const PUBLIC_PLATFORM_API_URL = 'http://127.0.0.1:1';
    const { url } = await platform.startControlPlane({ PUBLIC_PLATFORM_API_URL });
    const login = ['--profile', 'absent', 'login', '--url', url];
    expect(await cli.run(login, { AGENTCTL_API_KEY: platform.adminKey })).toMatchObject({
      code: 0,
      stderr: expect.stringContaining(
        'It is the address of the platform API, as the control plane reports.\nSigned in to',
      ),
    });
    await cli.run(['profiles', 'use', 'default']);
  });

  it('an address of another server in the environment is reported, with what responds there', async () => {
    const page = createHttpServer((_request, response) => response.end('<html></html>')).listen(0, '127.0.0.1');
    await once(page, 'listening');
    const pageUrl = `http://127.0.0.1:${(page.address() as AddressInfo).port}`;
    const env = { AGENTCTL_API_KEY: platform.adminKey };
    for (const [AGENTCTL_URL, message] of [
      [platformApiUrl, 'is the address of the platform API, not of the control plane.'],
      [pageUrl, 'is the address of another program, not of the control plane.'],
    ] as const) {
      expect(await cli.run(['jobs', 'list'], { ...env, AGENTCTL_URL })).toEqual({
        code: 64,
        stdout: '',
        stderr: expect.stringContaining(`${AGENTCTL_URL} ${message}`),
      });
    }
    const addresses = { AGENTCTL_URL: platform.url, AGENTCTL_PLATFORM_API_URL: platform.url };
    expect(await cli.run(['keys', 'list'], { ...env, ...addresses })).toMatchObject({
      code: 64,
      stderr: expect.stringContaining('is the address of the control plane, not of the platform API.'),
    });
    page.close();
  });

  inTerminal('an address without a server is reported before the key is asked for', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    await once(server.close(), 'close');
    const login = cli.startInTerminal(`login --url http://127.0.0.1:${port}`);
    expect(await login.exit()).toBe(69);
    expect(login.stdout).toContain(`http://127.0.0.1:${port} does not respond (ECONNREFUSED)`);
    expect(login.stdout).not.toContain('API key');
  });

  inTerminal('invalid YAML and an unknown field open the editor again', async () => {
    await cli.run(['agents', 'create', '--set', 'name=edited', '--set', 'description=before']);
    const script = `case $(grep -c . edits 2>/dev/null || true) in
  '' | 0) sed -i 's/^description: before$/description: [/' "$1" ;;
  1) sed -i 's/^description: \\[$/descripton: after/' "$1" ;;
  *) sed -i 's/^descripton: /description: /' "$1" ;;
esac
echo edit >> edits
`;
    const edit = cli.startInTerminal('agents edit edited', { EDITOR: `sh ${cli.write('editor.sh', script)}` });
    for (const fault of [
      /resource\.yaml: [^]*Edit it again\? \[Y\/n\]/,
      /did you mean description\?[^]*Edit it again\?/,
    ]) {
      await eventually(() => expect(edit.stdout).toMatch(fault));
      edit.type('\r');
    }
    expect([await edit.exit(), edit.stdout]).toEqual([0, expect.stringContaining('description: after')]);
    const given = cli.startInTerminal('agents edit edited', { EDITOR: 'sed -i "s/^description: .*/description: [/"' });
    await eventually(() => expect(given.stdout).toContain('Edit it again?'));
    given.type('n\r');
    expect([await given.exit(), given.stdout]).toEqual([1, expect.stringContaining('Nothing was changed.')]);
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
