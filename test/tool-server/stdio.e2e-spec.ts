import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Client, type Progress } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { unwrap } from '@app/api-client';
import { eventually } from '@app/testing';
import { Agentctl } from '../support/agentctl.js';
import { Platform } from '../support/platform.js';
import { Scenario } from '../support/scenario.js';
import { ERAS, type Era } from '../support/tool-server.js';

const PROGRAM = join(__dirname, '..', '..', 'dist/bundles/tool-server.js');

describe('the tools over standard input and output', () => {
  const agentctl = new Agentctl();
  let platform: Platform;
  let platformUrl: string;
  let user: Scenario;

  beforeAll(async () => {
    platform = await Platform.shared();
    platformUrl = platform.platformApi?.url ?? '';
    await platform.startWorker();
    user = new Scenario(platform);
    for (const [name, prompt] of [
      ['Greet people!', '[[say Hello {{params.name}}]]'],
      ['endless', '[[pace 50ms]] [[tokens 5000]]'],
    ] as const) {
      const steps = [{ name: 'say', type: 'prompt', prompt }] as never[];
      await unwrap(user.client.POST('/api/v1/workflows', { body: { name, steps } }));
    }
    await agentctl.install();
  });
  afterAll(async () => {
    agentctl.remove();
    await platform.stop();
  });

  async function greetWith(era: Era, transport: StdioClientTransport): Promise<unknown> {
    const mode = era === '2025-11-25' ? 'legacy' : { pin: era };
    const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
    await client.connect(transport);
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toContain('run_greet_people');
    const args = { name: 'Greet people!', params: { name: 'Ada' } };
    const result = await client.callTool({ name: 'execute_workflow', arguments: args });
    expect(await client.callTool({ name: 'run_greet_people', arguments: { name: 'Bob' } })).toMatchObject({
      content: [{ text: 'Hello Bob' }],
    });
    await client.close();
    return result.content;
  }

  it.each(ERAS)('run workflows with the key of the environment (%s)', async (era) => {
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [PROGRAM, '--transport', 'stdio', '--expose-workflows'],
      env: { PLATFORM_API_URL: platformUrl, SERVICE_API_KEY: platform.adminKey },
      stderr: 'ignore',
    });
    expect(await greetWith(era, transport)).toEqual([{ type: 'text', text: 'Hello Ada' }]);
  });

  it.each(ERAS)('run workflows with the profile of agentctl (%s)', async (era) => {
    const transport = new StdioClientTransport({
      command: agentctl.program,
      args: ['mcp', '--expose-workflows'],
      env: {
        PATH: process.env['PATH'] ?? '',
        HOME: agentctl.folder,
        AGENTCTL_URL: platform.url,
        AGENTCTL_PLATFORM_API_URL: platformUrl,
        AGENTCTL_API_KEY: platform.adminKey,
      },
      stderr: 'ignore',
    });
    expect(await greetWith(era, transport)).toEqual([{ type: 'text', text: 'Hello Ada' }]);
  });

  it.each(['SIGTERM', 'SIGINT', 'the end of the input'])('cancel their runs and exit with %s', async (end) => {
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [PROGRAM, '--transport', 'stdio'],
      env: { PLATFORM_API_URL: platformUrl, SERVICE_API_KEY: platform.adminKey },
      stderr: 'ignore',
    });
    const client = new Client({ name: 'test', version: '1' });
    await client.connect(transport);
    const pid = transport.pid ?? 0;
    const id = await new Promise<string>((resolve) => {
      const onprogress = ({ message = '' }: Progress): void => {
        const [, found] = /^execution: (.+)$/.exec(message) ?? [];
        if (found !== undefined) resolve(found);
      };
      client.callTool({ name: 'execute_workflow', arguments: { name: 'endless' } }, { onprogress }).catch(() => null);
    });
    if (end.startsWith('SIG')) process.kill(pid, end);
    else await client.close();
    await eventually(() => expect(() => process.kill(pid, 0)).toThrow('ESRCH'));
    expect((await user.execution(id)).status).toBe('cancelled');
  });

  it('say what is wrong with the options, and exit', async () => {
    for (const [args, code, text] of [
      [['--port', 'x'], 78, '--port: expected a whole number from 0 to 65535, got "x"'],
      [['--transport', 'carrier-pigeon'], 64, 'Allowed choices are http, stdio'],
      [
        ['--auth-type', 'saml', '--auth-server', 'https://id.example.com'],
        78,
        '--auth-type: expected one of oidc, oauth',
      ],
      [['--transport', 'stdio', '--auth-server', 'https://id.example.com'], 78, '--auth-server: tokens need'],
    ] as const) {
      const run = promisify(execFile)(process.execPath, [PROGRAM, ...args], { env: { PLATFORM_API_URL: platformUrl } });
      await expect(run).rejects.toMatchObject({ code, stdout: '', stderr: expect.stringContaining(text) });
    }
  });
});
