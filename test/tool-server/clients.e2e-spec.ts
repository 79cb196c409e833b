import { realpathSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Client, type Progress } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { unwrap } from '@app/api-client';
import { eventually } from '@app/testing';
import { runCommand } from '../../tools/provision/commands.js';
import { findNpmProgram } from '../../tools/provision/npm-programs.js';
import { IdentityProvider } from '../support/identity-provider.js';
import { Platform } from '../support/platform.js';
import { Scenario } from '../support/scenario.js';
import { ToolServer } from '../support/tool-server.js';

const AUDIENCE = 'https://tools.example.com/mcp';
const [inspector, remote] = [findNpmProgram('mcp-inspector-cli'), findNpmProgram('mcp-remote')];

interface Result {
  readonly content: unknown;
  readonly structuredContent: { readonly execution_id: string };
}

describe.each(['simple mode', 'access tokens'])('programs of others as clients, with %s', (mode) => {
  let platform: Platform;
  let user: Scenario;
  let server: ToolServer;
  let provider: IdentityProvider | undefined;
  let folder: string;
  /** The header of the caller; none in simple mode. */
  let header: string[];

  beforeAll(async () => {
    // The provider warns that it is not set up for production.
    for (const level of ['info', 'warn'] as const) jest.spyOn(console, level).mockImplementation(() => undefined);
    folder = await mkdtemp(join(tmpdir(), 'mcp-clients-'));
    platform = await Platform.shared();
    user = new Scenario(platform);
    await platform.startWorker();
    for (const [name, prompt] of [
      ['greet', '[[say Hello {{params.name}}]]'],
      ['endless', '[[pace 50ms]] [[tokens 5000]]'],
    ] as const) {
      const steps = [{ name: 'say', type: 'prompt', prompt }] as never[];
      await unwrap(user.client.POST('/api/v1/workflows', { body: { name, steps } }));
    }
    if (mode === 'simple mode') {
      header = [];
      server = await ToolServer.start(platform, { SERVICE_API_KEY: platform.adminKey });
    } else {
      provider = await IdentityProvider.start([{ name: 'ann', apiKey: platform.adminKey }], AUDIENCE);
      header = ['--header', `Authorization: Bearer ${await provider.tokenOf('ann')}`];
      server = await ToolServer.start(platform, { SERVICE_AUTH_SERVER: provider.url, TOOL_SERVER_AUDIENCE: AUDIENCE });
    }
  });
  afterAll(async () => {
    await server.stop();
    provider?.stop();
    await platform.stop();
    await rm(folder, { recursive: true, force: true });
  });

  describe('the Inspector', () => {
    const withInspector = inspector === undefined ? it.skip : it;

    /** Returns the result that the program prints. */
    async function inspect(...args: readonly string[]): Promise<unknown> {
      // The program finds its package.json only from this folder.
      const cwd = dirname(realpathSync(inspector?.path ?? ''));
      const all = ['--cli', `${server.url}/mcp`, '--transport', 'http', ...header, ...args];
      const { code, output } = await runCommand(inspector?.path ?? '', all, { cwd });
      if (code !== 0) throw new Error(output);
      return JSON.parse(output.slice(output.indexOf('{\n')));
    }
    const inspectCall = async (tool: string, ...args: readonly string[]): Promise<Result> =>
      (await inspect('--method', 'tools/call', '--tool-name', tool, '--tool-arg', ...args)) as Result;

    withInspector('lists the tools, runs a workflow to its end, and shows the execution', async () => {
      const { tools } = (await inspect('--method', 'tools/list')) as { readonly tools: { readonly name: string }[] };
      expect(tools.map(({ name }) => name)).toContain('execute_workflow');
      const run = await inspectCall('execute_workflow', 'name=greet', 'params={"name":"Ada"}');
      expect(run.content).toEqual([{ type: 'text', text: 'Hello Ada' }]);
      const shown = await inspectCall('get_execution', `execution_id=${run.structuredContent.execution_id}`);
      expect(shown.structuredContent).toMatchObject({ status: 'completed', response: 'Hello Ada' });
    });
  });

  describe.each(['legacy', 'auto'])('mcp-remote, which speaks the protocol "%s" with the server', (protocol) => {
    const withRemote = remote === undefined ? it.skip : it;

    /** Returns a client that knows only mcp-remote, over standard input and output. */
    async function connect(): Promise<Client> {
      const transport = new StdioClientTransport({
        command: remote?.path ?? '',
        args: [`${server.url}/mcp`, '--transport', 'http-only', '--protocol', protocol, ...header],
        env: { PATH: process.env['PATH'] ?? '', HOME: folder, MCP_REMOTE_CONFIG_DIR: folder },
        stderr: 'ignore',
      });
      const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: 'legacy' } });
      await client.connect(transport);
      return client;
    }

    withRemote('lists the tools, runs a workflow to its end, and shows the execution', async () => {
      const client = await connect();
      const { tools } = await client.listTools();
      expect(tools.map(({ name }) => name)).toContain('execute_workflow');
      const messages: string[] = [];
      const onprogress = ({ message = '' }: Progress): void => void messages.push(message);
      const args = { name: 'greet', params: { name: 'Ada' } };
      const run = await client.callTool({ name: 'execute_workflow', arguments: args }, { onprogress });
      expect(run.content).toEqual([{ type: 'text', text: 'Hello Ada' }]);
      expect(messages).toContain('step started: say');
      const { execution_id: id } = run.structuredContent as Result['structuredContent'];
      const shown = await client.callTool({ name: 'get_execution', arguments: { execution_id: id } });
      expect(shown.structuredContent).toMatchObject({ status: 'completed', response: 'Hello Ada' });
      await client.close();
    });

    // With the other one, mcp-remote leaves the request of a cancelled call open, which the server cannot know.
    if (protocol !== 'legacy') return;
    withRemote('cancels the run of a call', async () => {
      const client = await connect();
      const controller = new AbortController();
      const id = await new Promise<string>((resolve, reject) => {
        const onprogress = ({ message = '' }: Progress): void => {
          const [, found] = /^execution: (.+)$/.exec(message) ?? [];
          if (found !== undefined) resolve(found);
        };
        const options = { onprogress, signal: controller.signal };
        client.callTool({ name: 'execute_workflow', arguments: { name: 'endless' } }, options).catch(reject);
      });
      controller.abort();
      await eventually(async () => expect((await user.execution(id)).status).toBe('cancelled'));
      await client.close();
    });
  });
});
