import type { Client, Progress } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { unwrap } from '@app/api-client';
import { eventually } from '@app/testing';
import { sizeOf } from '../support/long-form.js';
import { Platform } from '../support/platform.js';
import { Scenario } from '../support/scenario.js';
import { ToolServer } from '../support/tool-server.js';

const CALLS = sizeOf({ short: 50, long: 500 });

/** The program of a client that runs a workflow, and prints the id of its execution. */
const CLIENT = `
  import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
  const client = new Client({ name: 'killed', version: '1' });
  await client.connect(new StreamableHTTPClientTransport(new URL(process.argv[1])));
  const onprogress = ({ message = '' }) => message.startsWith('execution: ') && console.log(message.slice(11));
  await client.callTool({ name: 'execute_workflow', arguments: { name: 'endless' } }, { onprogress });
`;

/** A call that runs a workflow, with the id of its execution as soon as it is known. */
interface RunningCall {
  readonly executionId: Promise<string>;
  readonly text: Promise<string>;
}

describe('calls of the tool server during outages', () => {
  let platform: Platform;
  let user: Scenario;
  let server: ToolServer;

  beforeAll(async () => {
    platform = await Platform.start({
      platformApi: true,
      modelGateway: true,
      env: { DEFAULT_MODEL: 'development-model', FAIR_SHARE_PER_SECOND: '0' },
    });
    user = new Scenario(platform);
    await platform.startWorker({ WORKER_CONCURRENCY: '32' });
    for (const [name, prompt] of [
      ['greet', '[[say Hello {{params.name}}]]'],
      ['slow', '[[delay 4s]] [[say Done]]'],
      ['endless', '[[pace 50ms]] [[tokens 5000]]'],
    ] as const) {
      const steps = [{ name: 'say', type: 'prompt', prompt }] as never[];
      await unwrap(user.client.POST('/api/v1/workflows', { body: { name, steps } }));
    }
    server = await startServer();
  });
  afterAll(async () => {
    await server.stop();
    await platform.stop();
  });

  const startServer = (env: Record<string, string> = {}): Promise<ToolServer> =>
    ToolServer.start(platform, { SERVICE_API_KEY: platform.adminKey, TOOL_SERVER_MAX_CALLS: String(CALLS), ...env });

  function run(client: Client, name: string): RunningCall {
    let found: (id: string) => void;
    const executionId = new Promise<string>((resolve) => (found = resolve));
    const onprogress = ({ message = '' }: Progress): void => {
      const [, id] = /^execution: (.+)$/.exec(message) ?? [];
      if (id !== undefined) found(id);
    };
    const call = client.callTool({ name: 'execute_workflow', arguments: { name } }, { onprogress });
    return { executionId, text: call.then(({ content }) => JSON.stringify(content)) };
  }

  it('end with the result if the platform API restarts during the run', async () => {
    const client = await server.connect('2026-07-28');
    const call = run(client, 'slow');
    const id = await call.executionId;
    await platform.platformApi?.process.restart();
    expect(await call.text).toContain('Done');
    expect((await user.execution(id)).status).toBe('completed');
  });

  it('say how to go on if the platform API is away at the end of the wait', async () => {
    const impatient = await startServer({ TOOL_SERVER_WAIT_SECONDS: '2', TOOL_SERVER_PLATFORM_TIMEOUT_MS: '1000' });
    const client = await impatient.connect('2026-07-28');
    const call = run(client, 'slow');
    const id = await call.executionId;
    await platform.platformApi?.process.kill('SIGKILL');
    expect(await call.text).toContain(
      `The execution ${id} has been started. Call get_execution with this id to read its result.`,
    );
    await platform.platformApi?.process.restart();
    const args = { execution_id: id, wait_seconds: 60 };
    expect(await client.callTool({ name: 'get_execution', arguments: args })).toMatchObject({
      structuredContent: { status: 'completed', response: 'Done' },
    });
    await impatient.stop();
  });

  it('end with the id of the execution if the tool server stops', async () => {
    const stopping = await startServer();
    const client = await stopping.connect('2026-07-28');
    const call = run(client, 'endless');
    const id = await call.executionId;
    expect(await Promise.all([stopping.process.end('SIGTERM'), call.text])).toEqual([
      0,
      expect.stringContaining(`The execution ${id} has the status`),
    ]);
    await user.cancel(id);
  });

  it('are served while the tool server drains, and its readiness check fails', async () => {
    const draining = await startServer({ SHUTDOWN_DRAIN_MS: '600000' });
    const client = await draining.connect('2026-07-28');
    draining.process.signal('SIGTERM');
    const readiness = async (): Promise<number> => (await fetch(`${draining.url}/api/health/ready`)).status;
    await eventually(async () => expect(await readiness()).toBe(503));
    expect(await client.callTool({ name: 'list_workflows', arguments: {} })).not.toHaveProperty('isError');
    await draining.stop();
  });

  it('cancel the run of a client whose process is killed', async () => {
    const client = spawn(process.execPath, ['--input-type=module', '--eval', CLIENT, `${server.url}/mcp`], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [output] = (await once(client.stdout, 'data')) as [Buffer];
    const id = output.toString().trim();
    expect((await user.execution(id)).status).not.toBe('cancelled');
    client.kill('SIGKILL');
    await eventually(async () => expect((await user.execution(id)).status).toBe('cancelled'));
  });

  it('cancel the run of a client that leaves while the platform API is away', async () => {
    const leaving = await server.connect('2026-07-28');
    const call = run(leaving, 'endless');
    const id = await call.executionId;
    call.text.catch(() => undefined);
    await platform.platformApi?.process.kill('SIGKILL');
    await leaving.close();
    await platform.platformApi?.process.restart();
    await eventually(async () => expect((await user.execution(id)).status).toBe('cancelled'));
  });

  it('leave their runs as they are if the tool server is killed', async () => {
    const killed = await startServer();
    const client = await killed.connect('2026-07-28');
    const call = run(client, 'slow');
    const id = await call.executionId;
    call.text.catch(() => undefined);
    await killed.process.kill('SIGKILL');
    await eventually(async () => expect((await user.execution(id)).status).toBe('completed'));
  });

  it(`are all answered if ${CALLS} run at once`, async () => {
    const client = await server.connect('2026-07-28');
    const answers = await Promise.all(
      Array.from({ length: CALLS }, async (_, index) => {
        const args = { name: 'greet', params: { name: String(index) } };
        const options = { timeout: 240_000 };
        const { structuredContent } = await client.callTool({ name: 'execute_workflow', arguments: args }, options);
        return structuredContent as { readonly execution_id: string; readonly response: string | null };
      }),
    );
    expect(new Set(answers.map(({ execution_id: id }) => id)).size).toBe(CALLS);
    // A call that waited longer than its limit has no response yet.
    const wrong = answers.filter(({ response }, index) => response !== null && response !== `Hello ${index}`);
    expect(wrong).toEqual([]);
    const { length } = await eventually(async () => {
      const rows = await platform.sql(`SELECT id FROM executions WHERE entity_name = 'greet' AND status = 'completed'`);
      expect(rows).toHaveLength(CALLS);
      return rows;
    });
    expect(length).toBe(CALLS);
  });

  it('do not wait for a platform that does not respond', async () => {
    const client = await server.connect('2026-07-28');
    await platform.platformApi?.process.kill('SIGKILL');
    const result = await client.callTool({ name: 'list_workflows', arguments: {} });
    expect(result).toMatchObject({ isError: true, content: [{ text: expect.stringContaining('cannot be reached') }] });
    await platform.platformApi?.process.restart();
  });
});
