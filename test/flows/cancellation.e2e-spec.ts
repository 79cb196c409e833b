import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { unwrap } from '@app/api-client';
import { eventually, processesWith } from '@app/testing';
import { Platform } from '../support/platform.js';
import { Scenario } from '../support/scenario.js';

const MCP_SERVER = join(__dirname, '../../apps/worker/src/runtimes/default/fixtures/mcp-server.mjs');
/** The time within which every process of a cancelled run must have ended. */
const STOP_MS = 2_000;
const FAN = 500;

type Step = Record<string, unknown> & { readonly name: string };

/** Processes write the time to a file as long as they run, so that the file shows when they ended. */
describe('a cancelled run stops within two seconds', () => {
  let platform: Platform;
  let user: Scenario;
  let folder: string;
  let withShell: string;
  let withServer: string;
  let withCommand: string;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'cancellation-'));
    platform = await Platform.shared();
    user = new Scenario(platform);
    await platform.startWorker({
      WORKER_SKILLS: 'shell',
      // The prompt is the script.
      WORKER_RUNTIMES: JSON.stringify({ script_code: { command: '/bin/sh' } }),
    });
    const skill = await unwrap(user.client.POST('/api/v1/skills', { body: { name: 'shell', type: 'shell' } }));
    withShell = await user.newAgent({ name: 'with a shell', skill_ids: [skill.id] });
    const mcp_servers = { fixture: { command: process.execPath, args: [MCP_SERVER] } };
    withServer = await user.newAgent({ name: 'with a server', execution_environment: { mcp_servers } });
    withCommand = await user.newAgent({ name: 'with a command', runtime: 'script_code' });
    const params = { path: { environment_id: 'default' } };
    const body = { execution_environment: { mcp_servers } };
    await unwrap(user.client.PATCH('/api/v1/environments/{environment_id}', { params, body }));
  });

  afterAll(async () => {
    await platform.stop();
    rmSync(folder, { recursive: true });
  });

  const fileOf = (mark: string): string => join(folder, mark);
  /** A loop that writes its name and the time in milliseconds. */
  const beat = (mark: string, name: string, seconds = 0.1): string =>
    `while :; do echo ${name} $(date +%s%3N) >> ${fileOf(mark)}; sleep ${seconds}; done`;
  /**
   * The same loop in a process, in one of its children, in one that left its session, and in one that also cleared its
   * environment and lost its parent.
   */
  const family = (mark: string): string =>
    `(${beat(mark, 'child')}) & setsid sh -c '${beat(mark, 'stray')}' & ` +
    `(env -i setsid sh -c '${beat(mark, 'bare')}' &); ${beat(mark, 'main')}`;
  const FAMILY = ['bare', 'child', 'main', 'stray'];
  const tool = (name: string, input: object): string => `[[tool ${name} ${JSON.stringify(input)}]]`;

  function beatsOf(mark: string): Map<string, number> {
    const lines = readFileSync(fileOf(mark), 'utf8').trim().split('\n');
    return new Map(lines.map((line) => line.split(' ')).map(([name = '', time]) => [name, Number(time)]));
  }

  const namesOf = (mark: string): string[] => [...beatsOf(mark).keys()].toSorted();

  async function cancelledAt(id: string): Promise<number> {
    const { status, completed_at } = await user.execution(id);
    expect(status).toBe('cancelled');
    return Date.parse(String(completed_at));
  }

  /**
   * Cancels the run after all loops have started, waits until all have ended, and returns how long the last one ran
   * after that.
   */
  async function cancel(id: string, mark: string, names: readonly string[]): Promise<number> {
    await eventually(() => expect(namesOf(mark)).toEqual(names));
    await user.cancel(id);
    await eventually(() => expect(processesWith(fileOf(mark))).toEqual([]));
    return Math.max(...beatsOf(mark).values()) - (await cancelledAt(id));
  }

  async function runWorkflow(steps: readonly Step[]): Promise<string> {
    const body = { name: crypto.randomUUID(), steps: steps as never[] };
    const { id: workflow_id } = await unwrap(user.client.POST('/api/v1/workflows', { body }));
    const params = { path: { workflow_id } };
    const started = user.client.POST('/api/v1/workflows/{workflow_id}/execute', { params, body: {} });
    return (await unwrap(started)).execution_id;
  }

  it('with the tools of an agent', async () => {
    const id = await user.execute(withShell, tool('run_command', { command: family('shell') }));
    expect(await cancel(id, 'shell', FAMILY)).toBeLessThan(STOP_MS);
  });

  it('with an MCP server that ignores SIGTERM', async () => {
    const id = await user.execute(withServer, tool('start', { command: family('server') }));
    expect(await cancel(id, 'server', FAMILY)).toBeLessThan(STOP_MS);
    await eventually(() => expect(processesWith(MCP_SERVER)).toEqual([]));
  });

  it('with the command of a runtime', async () => {
    const id = await user.execute(withCommand, family('command'));
    expect(await cancel(id, 'command', FAMILY)).toBeLessThan(STOP_MS);
  });

  it('with the shells, servers and commands of the steps of a workflow', async () => {
    const call = { server: 'fixture', name: 'start', arguments: { command: beat('steps', 'server') } };
    const script = tool('run_command', { command: beat('steps', 'shell') });
    const id = await runWorkflow([
      { name: 'shell', type: 'agent', agent_id: withShell, prompt: script },
      { name: 'server', type: 'tool', tool: call },
      { name: 'command', type: 'agent', agent_id: withCommand, prompt: beat('steps', 'command') },
      { name: 'after', type: 'prompt', prompt: 'never', depends_on: ['command'] },
    ]);
    expect(await cancel(id, 'steps', ['command', 'server', 'shell'])).toBeLessThan(STOP_MS);
    const params = { path: { execution_id: id } };
    const steps = await unwrap(user.client.GET('/api/v1/executions/{execution_id}/steps', { params }));
    expect(steps.map(({ status }) => status)).toEqual(['cancelled', 'cancelled', 'cancelled', 'cancelled']);
  });

  it('with all steps of a workflow that run in parallel, at most 32 at once', async () => {
    const steps = Array.from({ length: FAN }, (_step, n) => {
      const prompt = tool('run_command', { command: beat('fan', `n${n}`, 0.5) });
      return { name: `n${n}`, type: 'agent', agent_id: withShell, prompt };
    });
    const id = await runWorkflow(steps);
    const running = Array.from({ length: 32 }, (_step, n) => `n${n}`).toSorted();
    expect(await cancel(id, 'fan', running)).toBeLessThan(STOP_MS);
    // No other step started.
    expect(namesOf('fan')).toEqual(running);
    const params = { path: { execution_id: id } };
    const states = await unwrap(user.client.GET('/api/v1/executions/{execution_id}/steps', { params }));
    expect(states.map(({ status }) => status)).toEqual(steps.map(() => 'cancelled'));
    expect(states.filter(({ attempt }) => attempt > 0)).toHaveLength(32);
    expect(platform.workers[0]?.process.log()).not.toContain('Warning');
  });

  it('and keeps its usage and the text up to then', async () => {
    const agentId = await user.newAgent({ name: 'talking' });
    const id = await user.execute(agentId, '[[pace 100ms]] [[tokens 600]] Count.');
    const reader = user.follow(id);
    await reader.waitFor('message_chunk');
    await user.cancel(id);
    const params = { path: { execution_id: id } };
    await eventually(async () => {
      const messages = await unwrap(user.client.GET('/api/v1/executions/{execution_id}/messages', { params }));
      const partial = { role: 'assistant', content: expect.stringMatching(/\S/), partial: true };
      expect(messages.at(-1)).toMatchObject(partial);
    });
    await eventually(async () => expect((await user.execution(id)).usage).toMatchObject({ requests: 1 }));
    expect(await user.execution(id)).toMatchObject({ status: 'cancelled' });
  });
});
