import type { Client, Progress } from '@modelcontextprotocol/client';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { unwrap } from '@app/api-client';
import { eventually } from '@app/testing';
import { HoldingProxy } from '../support/holding-proxy.js';
import { Platform } from '../support/platform.js';
import { Scenario } from '../support/scenario.js';
import { ERAS, ToolServer, type Era } from '../support/tool-server.js';

const isStart = ({ path }: { readonly path: string }): boolean => path.endsWith('/execute');
const isCancel = ({ path }: { readonly path: string }): boolean => path.endsWith('/cancel');

interface Result {
  readonly content: unknown;
  readonly structuredContent?: unknown;
  readonly isError?: boolean | undefined;
}

describe('calls of the tool server whose requests to the platform get no response', () => {
  let platform: Platform;
  let user: Scenario;
  let proxy: HoldingProxy;
  let server: ToolServer;
  let client: Client;

  beforeAll(async () => {
    platform = await Platform.shared();
    user = new Scenario(platform);
    await platform.startWorker();
    proxy = await HoldingProxy.to(platform.platformApi?.url ?? '');
    server = await ToolServer.start(platform, {
      PLATFORM_API_URL: proxy.url,
      SERVICE_API_KEY: platform.adminKey,
      TOOL_SERVER_PLATFORM_TIMEOUT_MS: '3000',
    });
    client = await server.connect('2026-07-28');
  });
  afterEach(() => proxy.release());
  afterAll(async () => {
    await server.stop();
    proxy.close();
    await platform.stop();
  });

  const newWorkflow = async (name: string, prompt: string): Promise<void> => {
    const steps = [{ name: 'say', type: 'prompt', prompt }] as never[];
    await unwrap(user.client.POST('/api/v1/workflows', { body: { name, steps } }));
  };
  const call = async (name: string, args: Record<string, unknown> = {}): Promise<Result> =>
    client.callTool({ name, arguments: args });
  const runsOf = async (name: string): Promise<{ readonly id: string; readonly status: string }[]> =>
    platform.sql(`SELECT id, status FROM executions WHERE entity_name = '${name}'`);

  it('end with an error, and are recorded', async () => {
    proxy.drop(() => true);
    expect(await call('list_workflows')).toMatchObject({
      content: [{ type: 'text', text: 'The platform has not responded within 3 s. Try again in a moment.' }],
      isError: true,
    });
    await expect(client.listPrompts()).rejects.toThrow('has not responded within 3 s');
    await expect(client.readResource({ uri: 'workflow://greet' })).rejects.toThrow('has not responded within 3 s');
    const result = await call('create_workflow', { name: 'new', steps: [{ name: 'a', type: 'prompt', prompt: 'p' }] });
    expect(JSON.stringify(result.content)).toContain('may have been created: call get_workflow');
  });

  it('start a workflow once if the first response is lost', async () => {
    await newWorkflow('repeated', '[[say Hello]]');
    let starts = 0;
    proxy.hold((request) => isStart(request) && (starts += 1) === 1);
    expect(await call('execute_workflow', { name: 'repeated' })).toMatchObject({ content: [{ text: 'Hello' }] });
    expect(starts).toBe(2);
    expect(await runsOf('repeated')).toHaveLength(1);
  });

  it('say that a run may have started, and return it when they are repeated as they say', async () => {
    await newWorkflow('uncertain', '[[say Hello {{params.name}}]]');
    proxy.hold(isStart);
    const args = { name: 'uncertain', params: { name: 'Ada' } };
    const { content, isError } = await call('execute_workflow', args);
    const text = JSON.stringify(content);
    expect({ isError, text }).toEqual({ isError: true, text: expect.stringContaining('A run may have started') });
    const [, key] = /idempotency_key \\"([^"\\]+)\\"/.exec(text) ?? [];
    proxy.release();
    const again = await call('execute_workflow', { ...args, idempotency_key: key });
    expect(again).toMatchObject({ content: [{ text: 'Hello Ada' }] });
    const runs = await runsOf('uncertain');
    expect(runs).toEqual([
      expect.objectContaining({ id: (again.structuredContent as { execution_id: string }).execution_id }),
    ]);
    const record = { tool: 'execute_workflow', outcome: 'failed', execution_id: null };
    await eventually(() => expect(server.audit()).toContainEqual(expect.objectContaining(record)));
  });

  it.each(ERAS)('cancel the run of a call that is cancelled while the run is being started (%s)', async (era) => {
    const name = `cancelled in ${era}`;
    await newWorkflow(name, '[[pace 50ms]] [[tokens 5000]]');
    const controller = await startHeld(era, name);
    controller.abort();
    // The server has received the cancellation when it has answered a later request.
    await call('get_workflow', { name });
    proxy.release();
    await eventually(async () => expect(await runsOf(name)).toMatchObject([{ status: 'cancelled' }]));
    const [{ id } = { id: '' }] = await runsOf(name);
    await eventually(() =>
      expect(server.audit()).toContainEqual(expect.objectContaining({ execution_id: id, outcome: 'cancelled' })),
    );
  });

  /** Calls a workflow, whose start is executed and not answered. Returns what cancels the call. */
  async function startHeld(era: Era, name: string): Promise<AbortController> {
    const caller = await server.connect(era);
    const controller = new AbortController();
    proxy.hold(isStart);
    const options = { signal: controller.signal };
    caller.callTool({ name: 'execute_workflow', arguments: { name } }, options).catch(() => undefined);
    await eventually(() => expect(proxy.heldCount).toBe(1));
    return controller;
  }

  it('are not recorded as cancelled if their run cannot be cancelled', async () => {
    await newWorkflow('stubborn', '[[pace 50ms]] [[tokens 5000]]');
    const controller = new AbortController();
    const id = await new Promise<string>((resolve, reject) => {
      const onprogress = ({ message = '' }: Progress): void => {
        const [, found] = /^execution: (.+)$/.exec(message) ?? [];
        if (found !== undefined) resolve(found);
      };
      const options = { onprogress, signal: controller.signal };
      client.callTool({ name: 'execute_workflow', arguments: { name: 'stubborn' } }, options).catch(reject);
    });
    proxy.drop(isCancel);
    controller.abort();
    await eventually(() =>
      expect(server.audit()).toContainEqual(expect.objectContaining({ execution_id: id, outcome: 'failed' })),
    );
    const log = server.process.log().split('\n');
    const reported = log.filter((line) => line.includes('"tool call failed"') && line.includes(id));
    expect(reported.join('\n')).toContain('could not be cancelled');
    proxy.release();
    await user.cancel(id);
  });
});

describe('the records of the tool server', () => {
  let platform: Platform;
  let proxy: HoldingProxy;
  let server: ToolServer;

  beforeAll(async () => {
    platform = await Platform.shared();
    proxy = await HoldingProxy.to(platform.platformApi?.url ?? '');
    server = await ToolServer.start(platform, {
      PLATFORM_API_URL: proxy.url,
      SERVICE_API_KEY: platform.adminKey,
      TOOL_SERVER_MAX_CALLS: '1',
    });
  });
  afterAll(async () => {
    await server.stop();
    proxy.close();
    await platform.stop();
  });

  it('do not wait for the id of the key', async () => {
    const client = await server.connect('2026-07-28');
    proxy.hold(({ path }) => path === '/api/v1/auth/me');
    await client.callTool({ name: 'list_workflows', arguments: {} });
    const line = await eventually(() => {
      const [found] = server.audit();
      expect(found).toMatchObject({ tool: 'list_workflows', outcome: 'succeeded', key_id: null });
      return found;
    });
    await eventually(() => expect(proxy.heldCount).toBe(1));
    proxy.release();
    await eventually(() => {
      const added = server.process
        .log()
        .split('\n')
        .find((text) => text.includes('"key of a tool call"'));
      expect(JSON.parse(added ?? '{}')).toMatchObject({ call_id: line?.['call_id'], key_id: expect.any(String) });
    });
  });

  it('include resources and prompts, which count towards the limit of simultaneous calls', async () => {
    const client = await server.connect('2026-07-28');
    proxy.hold(({ path }) => path.startsWith('/api/v1/workflows'));
    const [listed] = [client.listResources()];
    await eventually(() => expect(proxy.heldCount).toBe(1));
    for (const refused of [
      client.listPrompts(),
      client.getPrompt({ name: 'greet' }),
      client.readResource({ uri: 'workflow://greet' }),
    ]) {
      await expect(refused).rejects.toThrow('Too many calls at once');
    }
    proxy.release();
    await listed;
    await expect(client.getPrompt({ name: 'nowhere' })).rejects.toThrow('Workflow not found');
    await eventually(() => {
      const records = server.audit().map(({ tool, outcome }) => `${String(tool)} ${String(outcome)}`);
      expect(records.slice(-5).toSorted()).toEqual([
        'prompts/get refused',
        'prompts/get refused',
        'prompts/list refused',
        'resources/list succeeded',
        'resources/read refused',
      ]);
    });
  });
});
