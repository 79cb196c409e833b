import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { unwrap, type AnyEvent } from '@app/api-client';
import { eventually, processesWith } from '@app/testing';
import { Platform } from '../support/platform.js';
import { dataOf, ofType, Scenario } from '../support/scenario.js';

const MCP_SERVER = join(__dirname, '../../apps/worker/src/runtimes/default/fixtures/mcp-server.mjs');

type Json = Record<string, unknown>;

const tool = (name: string, input: Json): string => `[[tool ${name} ${JSON.stringify(input)}]]`;
const shell = (command: string): string => tool('run_command', { command });

describe('runs with built-in skills', () => {
  let platform: Platform;
  let user: Scenario;
  let workspace: string;
  let agentId: string;

  beforeAll(async () => {
    workspace = mkdtempSync(join(tmpdir(), 'skills-'));
    platform = await Platform.shared();
    user = new Scenario(platform);
    await platform.startWorker({
      WORKER_WORKSPACE: workspace,
      WORKER_SKILLS: 'file_system,file_generation,shell,python',
      A_SECRET_OF_THE_WORKER: 'not for tools',
    });
    agentId = await newAgent(['file_system', 'file_generation', 'shell', 'python']);
  });

  afterAll(async () => {
    await platform.stop();
    rmSync(workspace, { recursive: true });
  });

  async function newAgent(types: readonly string[], fields: Json = {}): Promise<string> {
    const skill_ids: string[] = [];
    for (const type of types) {
      skill_ids.push((await unwrap(user.client.POST('/api/v1/skills', { body: { name: type, type } }))).id);
    }
    return user.newAgent({ skill_ids, ...fields });
  }

  /** Runs the agent and returns its events and the outcome of each tool call, in order. */
  async function run(
    agent: string,
    prompt: string,
  ): Promise<{ id: string; events: readonly AnyEvent[]; calls: Json[] }> {
    const id = await user.execute(agent, prompt);
    const events = await user.readEvents(id);
    return { id, events, calls: ofType(events, 'tool_completed').map(dataOf) };
  }

  async function filesOf(id: string): Promise<Record<string, string>> {
    const path = { execution_id: id };
    const files = await unwrap(user.client.GET('/api/v1/executions/{execution_id}/files', { params: { path } }));
    const contents = files.map(async ({ name }) => {
      const params = { path: { ...path, file_name: name } };
      const file = user.client.GET('/api/v1/executions/{execution_id}/files/{file_name}', { params, parseAs: 'text' });
      return [name, String((await file).data)] as const;
    });
    return Object.fromEntries(await Promise.all(contents));
  }

  it('share one folder, whose files are stored at the end of the run', async () => {
    const { id, calls } = await run(
      agentId,
      [
        tool('write_file', { path: 'notes/a.txt', content: 'one\n' }),
        tool('generate_file', { name: 'report.csv', content: 'a,b\n1,2\n' }),
        tool('run_python', { code: 'print(open("notes/a.txt").read() * 2, end="")' }),
        shell(
          'echo two >> notes/a.txt; mkdir .cache node_modules; touch .cache/x node_modules/y; ln -s a.txt notes/link',
        ),
        tool('read_file', { path: 'notes/a.txt' }),
        tool('list_files', { path: '.' }),
        tool('delete_file', { path: 'report.csv' }),
        shell('exit 3'),
      ].join(' '),
    );
    expect(calls.map(({ tool_output, tool_error }) => tool_output ?? tool_error)).toEqual([
      'Wrote 4 bytes to notes/a.txt',
      'Created report.csv with 8 bytes',
      'one\none\n',
      '',
      'one\ntwo\n',
      '.cache/\nnode_modules/\nnotes/\nreport.csv',
      'Deleted report.csv',
      'The command ended with the exit code 3:\n',
    ]);
    expect((await user.execution(id)).status).toBe('completed');
    expect(await filesOf(id)).toEqual({ 'notes/a.txt': 'one\ntwo\n' });
    await eventually(() => expect(readdirSync(workspace)).toEqual([]));
  });

  it('give processes the variables of the run and of the allow-list, and no others', async () => {
    const agent = await newAgent(['shell'], { execution_environment: { env_vars: { GREETING: 'hello' } } });
    const { calls } = await run(agent, shell('echo $GREETING; env | cut -d= -f1'));
    const names = String(calls[0]?.['tool_output']).trim().split('\n');
    expect(
      names
        .slice(1)
        .filter((name) => !['LANG', 'LC_ALL', 'TZ', '_', 'SHLVL', 'OLDPWD'].includes(name))
        .sort(),
    ).toEqual(['GREETING', 'HOME', 'PATH', 'PWD', 'WORKER_PROCESS_GROUP']);
    expect(names[0]).toBe('hello');
  });

  it('do not find the variables of the worker in /proc', async () => {
    const agent = await newAgent(['shell']);
    // Reversed, because the worker redacts its secrets in the output of tools.
    const lines = `tr '\\0' '\\n' < /proc/$p/environ 2>/dev/null | rev`;
    const ancestors = `p=$$; while [ "$p" -gt 1 ]; do p=$(awk '/^PPid/ { print $2 }' /proc/$p/status); ${lines}; done; true`;
    const { calls } = await run(agent, shell(ancestors));
    const shown = [...String(calls[0]?.['tool_output'])].reverse().join('');
    expect(shown).toMatch(/^WORKER_API_KEY=/m);
    expect(shown).toMatch(/^A_SECRET_OF_THE_WORKER=/m);
    expect(shown).not.toContain(platform.adminKey);
    expect(shown).not.toContain('not for tools');
  });

  it('refuse paths that leave the workspace, also by links', async () => {
    // Never a folder of the system: a fault in the worker would change it.
    const outside = mkdtempSync(join(tmpdir(), 'outside-'));
    writeFileSync(join(outside, 'kept'), 'as before');
    const paths = ['../x', join(outside, 'kept'), 'a/../../x', 'out/kept', 'dangling'];
    const { id, calls } = await run(
      agentId,
      [
        shell(`ln -s ${outside} out; ln -s ${outside}/nothing dangling`),
        ...paths.map((path) => tool('read_file', { path })),
        ...paths.map((path) => tool('write_file', { path, content: 'x' })),
        tool('generate_file', { name: '../x', content: 'x' }),
        tool('list_files', { path: 'out' }),
        tool('delete_file', { path: 'out/kept' }),
      ].join(' '),
    );
    const [, ...refused] = calls.map(({ tool_error }) => tool_error);
    expect(refused).toHaveLength(2 * paths.length + 3);
    for (const error of refused) expect(error).toMatch(/leaves the workspace of the run/);
    expect(await filesOf(id)).toEqual({});
    expect([readdirSync(outside), readFileSync(join(outside, 'kept'), 'utf8')]).toEqual([['kept'], 'as before']);
    rmSync(outside, { recursive: true });
  });

  it('stop a tool that prints without end, and one that takes too long, with everything they started', async () => {
    const mark = `3${Date.now()}`;
    const impatient = await newAgent(['shell'], { configuration: { tool_timeout_seconds: 1 } });
    const flooding = await run(agentId, shell('yes'));
    const late = await run(impatient, shell(`(setsid sleep ${mark} &) ; sleep ${mark}`));
    const errors = [...flooding.calls, ...late.calls].map(({ tool_error }) => String(tool_error).split('\n')[0]);
    expect(errors).toEqual([
      'The command printed more than 1 MiB and was stopped:',
      'The tool run_command took longer than 1 s',
    ]);
    await eventually(() => expect(processesWith(mark)).toEqual([]));
  });

  it('end an MCP server that prints without end, and say why', async () => {
    const mcp_servers = { fixture: { command: process.execPath, args: [MCP_SERVER] } };
    const agent = await newAgent([], { execution_environment: { mcp_servers } });
    const { id, calls } = await run(agent, `${tool('gush', {})} ${tool('add', { a: 1, b: 2 })}`);
    expect(calls).toMatchObject([
      { status: 'failed', tool_error: 'The server printed a line of more than 16 MiB' },
      { status: 'failed', tool_error: expect.stringContaining('closed') },
    ]);
    expect((await user.execution(id)).status).toBe('completed');
    const body = {
      name: 'gushing',
      steps: [{ name: 'only', type: 'tool' as const, tool: { server: 'fixture', name: 'gush' } }],
    };
    const workflow = await unwrap(user.client.POST('/api/v1/workflows', { body }));
    const params = { path: { workflow_id: workflow.id } };
    const start = { execution_environment: { mcp_servers } };
    const started = user.client.POST('/api/v1/workflows/{workflow_id}/execute', { params, body: start });
    expect(await user.waitUntilEnded((await unwrap(started)).execution_id)).toMatchObject({
      error_message: expect.stringContaining('The server printed a line of more than 16 MiB'),
    });
  });

  it('report which files could not be stored', async () => {
    const { id, events } = await run(agentId, shell('echo ok > small; truncate -s 11M large'));
    const leftOut = ofType(events, 'metadata').map((event) => dataOf(event)['files_left_out']);
    expect(leftOut).toEqual([[{ name: 'large', reason: 'it has more than 10 MiB' }]]);
    expect(await filesOf(id)).toEqual({ small: 'ok\n' });
  });

  it('stop everything that they started when the run is cancelled', async () => {
    const mark = `4${Date.now()}`;
    const id = await user.execute(agentId, shell(`sleep ${mark} & (setsid sleep ${mark} &) ; sleep ${mark}`));
    await eventually(() => expect(processesWith(`sleep\0${mark}`)).toHaveLength(3));
    await user.cancel(id);
    await eventually(() => expect(processesWith(mark)).toEqual([]));
    expect((await user.execution(id)).status).toBe('cancelled');
    await eventually(() => expect(readdirSync(workspace)).toEqual([]));
  });

  it('report the skills that the worker does not offer, and continue', async () => {
    const agent = await newAgent(['docker', 'custom', 'something_else']);
    const { id, events } = await run(agent, 'Say something');
    const [missing] = ofType(events, 'metadata').map((event) => dataOf(event)['unavailable_skills']);
    expect(missing).toEqual([
      { name: 'docker', type: 'docker' },
      { name: 'something_else', type: 'something_else' },
    ]);
    expect((await user.execution(id)).status).toBe('completed');
  });

  it('search and read the knowledge of their own context only', async () => {
    const add = async (name: string, content: string): Promise<string> =>
      (await unwrap(user.client.POST('/api/v1/knowledge', { body: { name, content } }))).id;
    const own = await add('Refunds', 'Refunds are paid within 14 days.');
    const other = await add('Refunds of others', 'Refunds are never paid.');
    const agent = await user.newAgent();
    const params = { path: { entity_type: 'agent', entity_id: agent } };
    const body = { knowledge_uuids: [own] };
    await unwrap(user.client.PUT('/api/v1/context/{entity_type}/{entity_id}', { params, body }));
    const { calls } = await run(
      agent,
      [
        tool('search_knowledge', { query: 'refund' }),
        tool('read_knowledge', { id: own }),
        tool('read_knowledge', { id: own, offset: 17 }),
        tool('read_knowledge', { id: other }),
      ].join(' '),
    );
    expect(calls.map(({ tool_output, tool_error }) => tool_output ?? tool_error)).toEqual([
      JSON.stringify([{ id: own, name: 'Refunds', description: null }]),
      'Refunds are paid within 14 days.',
      'within 14 days.',
      `There is no knowledge entry ${other}`,
    ]);
  });

  it('work in the working_dir, and fail for one that leaves the workspace', async () => {
    const inside = await newAgent(['shell'], { execution_environment: { working_dir: 'src/deep' } });
    const { id } = await run(inside, shell('echo here > file'));
    expect(await filesOf(id)).toEqual({ 'src/deep/file': 'here\n' });
    const outside = await newAgent(['shell'], { execution_environment: { working_dir: '../elsewhere' } });
    const failed = await user.waitUntilEnded(await user.execute(outside, 'Anything'));
    expect(failed).toMatchObject({
      status: 'failed',
      error_message: expect.stringContaining('it leaves the workspace'),
    });
  });
});
