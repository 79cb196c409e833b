import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { unwrap } from '@app/api-client';
import { eventually } from '@app/testing';
import { call } from '../support/http.js';
import { IdentityProvider } from '../support/identity-provider.js';
import { Platform } from '../support/platform.js';
import { Scenario, type Execution } from '../support/scenario.js';
import { ERAS, ToolServer, type Era } from '../support/tool-server.js';

const AUDIENCE = 'https://tools.example.com/mcp';
const NAMES = ['ann', 'bob'] as const;

describe('users of one tool server with an OpenID Connect provider', () => {
  let platform: Platform;
  let admin: Scenario;
  let provider: IdentityProvider;
  let server: ToolServer;

  beforeAll(async () => {
    // The provider warns that it is not set up for production.
    for (const level of ['info', 'warn'] as const) jest.spyOn(console, level).mockImplementation(() => undefined);
    platform = await Platform.shared();
    admin = new Scenario(platform);
    await platform.startWorker();
    const steps = [{ name: 'say', type: 'prompt', prompt: '[[say Hello {{params.name}}]]' }] as never[];
    await unwrap(admin.client.POST('/api/v1/workflows', { body: { name: 'greet', steps } }));
    const users = await Promise.all(NAMES.map(async (name) => ({ name, apiKey: await keyOf(name) })));
    provider = await IdentityProvider.start(users, AUDIENCE);
    server = await ToolServer.start(platform, {
      SERVICE_AUTH_SERVER: provider.url,
      TOOL_SERVER_AUDIENCE: AUDIENCE,
      TOOL_SERVER_REQUIRED_SCOPES: 'read execute',
    });
  });
  afterAll(async () => {
    await server.stop();
    provider.stop();
    await platform.stop();
  });

  /** Creates a user and returns a key that acts for them. */
  async function keyOf(name: string): Promise<string> {
    const api = platform.platformApi?.url ?? '';
    const scheme = { key: platform.adminKey, scheme: 'UserKey' } as const;
    const user = await call('POST', `${api}/api/v1/users`, { ...scheme, body: { name, email: `${name}@example.com` } });
    const { id } = user.body as { id: string };
    const scopes = ['workflows:read', 'tasks:read', 'tasks:execute'];
    const minted = await call('POST', `${api}/api/v1/auth/keys`, { ...scheme, body: { name, scopes, user_id: id } });
    return (minted.body as { key: string }).key;
  }

  async function run(era: Era, name: string): Promise<Execution> {
    const client = await server.connect(era, await provider.tokenOf(name));
    const args = { name: 'greet', params: { name } };
    const result = await client.callTool({ name: 'execute_workflow', arguments: args });
    expect(result).toMatchObject({ content: [{ text: `Hello ${name}` }] });
    return admin.execution((result.structuredContent as { execution_id: string }).execution_id);
  }

  it.each(ERAS)('run workflows at the same time, each as the owner of the key in their token (%s)', async (era) => {
    const executions = await Promise.all(NAMES.map((name) => run(era, name)));
    expect(executions.map(({ user_email }) => user_email)).toEqual(['ann@example.com', 'bob@example.com']);
    for (const [index, subject] of NAMES.entries()) {
      const line = { tool: 'execute_workflow', outcome: 'succeeded', subject, execution_id: executions[index]?.id };
      await eventually(() => expect(server.audit()).toContainEqual(expect.objectContaining(line)));
    }
  });

  it('do only what the scopes of their key allow', async () => {
    const client = await server.connect('2026-07-28', await provider.tokenOf('ann'));
    const result = await client.callTool({ name: 'delete_workflow', arguments: { name: 'greet' } });
    expect(result).toMatchObject({ isError: true, content: [{ text: expect.stringContaining('workflows:manage') }] });
  });

  it('are told which scopes to ask for', async () => {
    const client = await server.connect('2026-07-28', await provider.tokenOf('ann', 'read execute'));
    await expect(client.callTool({ name: 'delete_workflow', arguments: { name: 'greet' } })).rejects.toThrow();
  });
});
