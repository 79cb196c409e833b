import type { Client, Progress } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { unwrap } from '@app/api-client';
import { ExactNumber } from '@app/kernel';
import { eventually } from '@app/testing';
import { call as request } from '../support/http.js';
import { Platform } from '../support/platform.js';
import { Scenario } from '../support/scenario.js';
import { ERAS, ToolServer } from '../support/tool-server.js';

/** The code of JSON-RPC. */
const INVALID_PARAMS = -32602;

interface Run {
  readonly execution_id: string;
  readonly status: string;
  readonly response: string | null;
}

describe.each(ERAS)('the tools of the tool server, protocol version %s', (era) => {
  let platform: Platform;
  let user: Scenario;
  let server: ToolServer;
  let client: Client;

  beforeAll(async () => {
    platform = await Platform.shared();
    user = new Scenario(platform);
    await platform.startWorker();
    server = await ToolServer.start(platform, { SERVICE_API_KEY: platform.adminKey, TOOL_SERVER_WAIT_SECONDS: '20' });
    client = await server.connect(era);
    await newWorkflow('greet', '[[say Hello {{params.name}}]]');
    await newWorkflow('endless', '[[pace 50ms]] [[tokens 5000]]');
  });
  afterAll(async () => {
    await server.stop();
    await platform.stop();
  });

  const newWorkflow = async (name: string, prompt: string): Promise<void> => {
    const steps = [{ name: 'say', type: 'prompt', prompt }] as never[];
    await unwrap(user.client.POST('/api/v1/workflows', { body: { name, steps } }));
  };
  const call = async (name: string, args: Record<string, unknown> = {}): Promise<Record<string, unknown>> => {
    const result = await client.callTool({ name, arguments: args });
    if (result.isError === true) throw new Error(JSON.stringify(result.content));
    return result.structuredContent as Record<string, unknown>;
  };
  const statusOf = async (id: string): Promise<string> => (await user.execution(id)).status;

  it('are listed in a stable order with schemas and annotations', async () => {
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual([
      'list_workflows',
      'get_workflow',
      'create_workflow',
      'delete_workflow',
      'execute_workflow',
      'get_execution',
      'cancel_execution',
    ]);
    for (const tool of tools) {
      expect(tool).toMatchObject({
        title: expect.any(String),
        description: expect.any(String),
        inputSchema: { type: 'object', additionalProperties: false, properties: { api_key: { type: 'string' } } },
        outputSchema: { type: 'object' },
        annotations: { readOnlyHint: expect.any(Boolean), openWorldHint: false },
      });
    }
    const hints = Object.fromEntries(tools.map(({ name, annotations }) => [name, annotations]));
    expect(hints['list_workflows']).toMatchObject({ readOnlyHint: true });
    expect(hints['delete_workflow']).toMatchObject({ destructiveHint: true, idempotentHint: true });
    expect(hints['execute_workflow']).toMatchObject({ readOnlyHint: false, idempotentHint: false });
  });

  it('announce no messages about changes of lists, because none are sent', () => {
    const { tools, resources, prompts } = client.getServerCapabilities() ?? {};
    expect([tools, resources, prompts].map((list) => list?.listChanged ?? false)).toEqual([false, false, false]);
  });

  it('create, show, list, run and delete a workflow', async () => {
    const steps = [{ name: 'say', type: 'prompt', prompt: '[[say Bye {{params.name}}]]' }];
    const created = await call('create_workflow', { name: 'farewell', description: 'Says bye', steps });
    expect(created).toMatchObject({ name: 'farewell', version: 1, parameters: ['name'], steps });
    expect(await call('get_workflow', { name: 'farewell' })).toEqual(created);
    const { workflows } = (await call('list_workflows')) as { workflows: { name: string }[] };
    expect(workflows.map(({ name }) => name)).toEqual(expect.arrayContaining(['farewell', 'greet', 'endless']));
    const run = await call('execute_workflow', { name: 'farewell', params: { name: 'Ada' } });
    expect(run).toMatchObject({ status: 'completed', response: 'Bye Ada', workflow: 'farewell', error_message: null });
    expect(await call('delete_workflow', { name: 'farewell' })).toEqual({ deleted: true, name: 'farewell' });
    await expect(call('get_workflow', { name: 'farewell' })).rejects.toThrow('Workflow not found');
  });

  it('keep the digits of numbers in parameters and definitions', async () => {
    const number = new ExactNumber('9007199254740993');
    const args = { name: 'greet', params: { name: number } };
    expect(await call('execute_workflow', args)).toMatchObject({ response: `Hello ${number}` });
    const steps = [{ name: 'say', type: 'prompt', prompt: 'p' }];
    await call('create_workflow', { name: 'exact', steps, configuration: { number } });
    const { content } = await client.callTool({ name: 'get_workflow', arguments: { name: 'exact' } });
    expect(content).toMatchObject([{ text: expect.stringContaining(`"number": ${number}`) }]);
    await call('delete_workflow', { name: 'exact' });
  });

  it('list in pages', async () => {
    const first = await call('list_workflows', { limit: 1 });
    expect(first).toMatchObject({ workflows: [{ name: 'endless' }], next_cursor: expect.any(String) });
    const second = await call('list_workflows', { limit: 1, cursor: first['next_cursor'] });
    expect(second).toMatchObject({ workflows: [{ name: 'greet' }], next_cursor: null });
  });

  it('send the events of a run as progress', async () => {
    const messages: string[] = [];
    const onprogress = ({ message = '' }: Progress): void => void messages.push(message);
    const args = { name: 'greet', params: { name: 'Bob' } };
    const result = await client.callTool({ name: 'execute_workflow', arguments: args }, { onprogress });
    expect(result.content).toEqual([{ type: 'text', text: 'Hello Bob' }]);
    const { execution_id: id } = result.structuredContent as Run;
    expect(messages[0]).toBe(`execution: ${id}`);
    expect(messages).toEqual(expect.arrayContaining(['step started: say', 'step completed: say']));
  });

  it('return the id of a run that takes longer than the wait, for which get_execution waits on', async () => {
    const short = await ToolServer.start(platform, {
      SERVICE_API_KEY: platform.adminKey,
      TOOL_SERVER_WAIT_SECONDS: '1',
    });
    const other = await short.connect(era);
    const result = await other.callTool({ name: 'execute_workflow', arguments: { name: 'endless' } });
    await short.stop();
    const run = result.structuredContent as Run;
    expect(result).toMatchObject({ content: [{ text: expect.stringContaining('Call get_execution') }] });
    expect(['pending', 'running']).toContain(run.status);
    const waiting = call('get_execution', { execution_id: run.execution_id, wait_seconds: 60 }).catch(String);
    expect(await call('cancel_execution', { execution_id: run.execution_id })).toMatchObject({ status: 'cancelled' });
    expect(await waiting).toContain('has ended with the status cancelled');
  });

  it('wait for a run that was paused before', async () => {
    const path = { workflow_id: 'endless' };
    const start = user.client.POST('/api/v1/workflows/{workflow_id}/execute', { params: { path }, body: {} });
    const { execution_id: id } = await unwrap(start);
    const params = { path: { execution_id: id } };
    await eventually(async () => expect(await statusOf(id)).toBe('running'));
    await unwrap(user.client.POST('/api/v1/executions/{execution_id}/pause', { params }));
    await eventually(async () => expect(await statusOf(id)).toBe('paused'));
    expect(await call('get_execution', { execution_id: id, wait_seconds: 60 })).toMatchObject({ status: 'paused' });
    await unwrap(user.client.POST('/api/v1/executions/{execution_id}/resume', { params }));
    await eventually(async () => expect(await statusOf(id)).toBe('running'));
    const waiting = call('get_execution', { execution_id: id, wait_seconds: 60 }).then(({ status }) => status, String);
    const early = await Promise.race([waiting, call('get_execution', { execution_id: id }).then(() => 'waiting')]);
    await user.cancel(id);
    expect([early, await waiting]).toEqual(['waiting', expect.stringContaining('has ended with the status cancelled')]);
  });

  it('cancel the run of a call that the client cancels', async () => {
    const controller = new AbortController();
    const started = new Promise<string>((resolve, reject) => {
      const onprogress = ({ message = '' }: Progress): void => {
        const [, id] = /^execution: (.+)$/.exec(message) ?? [];
        if (id !== undefined) resolve(id);
      };
      const options = { onprogress, signal: controller.signal };
      client.callTool({ name: 'execute_workflow', arguments: { name: 'endless' } }, options).catch(reject);
    });
    const id = await started;
    await eventually(async () => expect(await statusOf(id)).toBe('running'));
    controller.abort();
    await eventually(async () => expect(await statusOf(id)).toBe('cancelled'));
    await eventually(async () =>
      expect(server.audit()).toContainEqual(expect.objectContaining({ execution_id: id, outcome: 'cancelled' })),
    );
  });

  it('cancel the run of a client that disconnects before the result', async () => {
    const leaving = await server.connect(era);
    const started = new Promise<string>((resolve) => {
      const onprogress = ({ message = '' }: Progress): void => {
        const [, id] = /^execution: (.+)$/.exec(message) ?? [];
        if (id !== undefined) resolve(id);
      };
      leaving.callTool({ name: 'execute_workflow', arguments: { name: 'endless' } }, { onprogress }).catch(() => null);
    });
    const id = await started;
    await leaving.close();
    await eventually(async () => expect(await statusOf(id)).toBe('cancelled'));
  });

  it('report what is wrong with a call', async () => {
    for (const [name, args, text] of [
      ['execute_workflow', { name: 'nowhere' }, 'Workflow not found'],
      ['get_execution', { execution_id: 'nowhere' }, 'Execution not found'],
      ['execute_workflow', { name: 'greet', api_key: 'wrong' }, 'Invalid token: the platform rejects the API key'],
      ['create_workflow', { name: 'x', steps: [{ name: 'a', type: 'prompt' }] }, 'prompt'],
      ['execute_workflow', { workflow: 'greet' }, 'name'],
    ] as const) {
      await expect(call(name, args)).rejects.toThrow(text);
    }
  });

  it('report after how many seconds a key may be used again', async () => {
    const keys = `${platform.platformApi?.url ?? ''}/api/v1/auth/keys`;
    const admin = { key: platform.adminKey, scheme: 'UserKey' } as const;
    const minted = await request('POST', keys, { ...admin, body: { name: `slow ${era}`, scopes: ['workflows:read'] } });
    const { id, key } = minted.body as { readonly id: string; readonly key: string };
    await request('PATCH', `${keys}/${id}`, { ...admin, body: { rate_limits: { per_minute: 1 } } });
    const listing = async (): Promise<string> => call('list_workflows', { api_key: key }).then(() => '', String);
    const limited = /Too many requests with this API key\. Try again in [1-9]\d* s\./;
    // The limits of a key take effect within a second.
    await eventually(async () => expect(await listing()).toMatch(limited));
  });

  it('have an audit line for each call, without keys', async () => {
    await call('list_workflows');
    await eventually(async () =>
      expect(server.audit()).toContainEqual(
        expect.objectContaining({
          tool: 'list_workflows',
          outcome: 'succeeded',
          subject: null,
          key_id: expect.any(String),
        }),
      ),
    );
    expect(server.process.log()).not.toContain(platform.adminKey);
  });

  it('serve the definitions as resources, and workflows with parameters as prompts', async () => {
    const { resources } = await client.listResources();
    expect(resources.map(({ uri }) => uri)).toEqual(expect.arrayContaining(['workflow://greet', 'workflow://endless']));
    const { contents } = await client.readResource({ uri: 'workflow://greet' });
    expect(JSON.parse((contents[0] as { text: string }).text)).toMatchObject({ name: 'greet', parameters: ['name'] });
    const { prompts } = await client.listPrompts();
    expect(prompts).toEqual([
      expect.objectContaining({ name: 'greet', arguments: [{ name: 'name', required: false }] }),
    ]);
    const { messages } = await client.getPrompt({ name: 'greet', arguments: { name: 'Ada' } });
    expect(messages).toMatchObject([{ role: 'user', content: { text: expect.stringContaining('"name": "Ada"') } }]);
  });

  it('report unknown resources and prompts as wrong parameters', async () => {
    for (const uri of ['workflow://nowhere', 'workflow://%', 'other://greet']) {
      await expect(client.readResource({ uri })).rejects.toMatchObject({ code: INVALID_PARAMS, data: { uri } });
    }
    const unknown = { code: INVALID_PARAMS, message: expect.stringContaining('Workflow not found') };
    await expect(client.getPrompt({ name: 'nowhere' })).rejects.toMatchObject(unknown);
  });
});
