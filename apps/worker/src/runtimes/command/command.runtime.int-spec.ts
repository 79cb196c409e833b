import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { JsonObject } from '@app/kernel';
import { createLogger } from '@app/observability';
import { eventually, processesWith } from '@app/testing';
import { NestedConversation, type Conversation } from '../../conversation/conversation.js';
import { readLease } from '../../control-plane/lease.js';
import { Redactor } from '../../redaction/secrets.js';
import { NO_RETRIES, taskWorkbench } from '../../testing/workbench.js';
import { wireLease } from '../../testing/wire-lease.js';
import { Workspace } from '../../workspace/workspace.js';
import { RuntimeFailure, type RuntimeResult, type RuntimeTask } from '../runtime.js';
import { CommandRuntime } from './command.runtime.js';
import type { CommandSettings } from './command-settings.js';

const FIXTURE = join(__dirname, 'fixtures', 'coding-agent.mjs');

interface Run {
  readonly events: { type: string; data: JsonObject }[];
  readonly result: Promise<RuntimeResult>;
  readonly conversation: NestedConversation;
}

describe('a runtime that runs a command', () => {
  let folder: string;

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'command-runtime-'));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  function start(
    prompt: string,
    options: {
      readonly settings?: Partial<CommandSettings>;
      readonly lease?: Parameters<typeof wireLease>[0];
      readonly task?: Partial<RuntimeTask>;
    } = {},
  ): Run {
    const lease = readLease(wireLease({ execution: { prompt }, ...options.lease }), Date.now());
    if (lease === null) throw new Error('invalid lease');
    const settings = {
      name: 'acme_code',
      command: process.execPath,
      args: [FIXTURE],
      variables: [],
      ...options.settings,
    };
    const events: Run['events'] = [];
    const conversation = new NestedConversation();
    const workspace = new Workspace(folder);
    const result = new CommandRuntime(settings, { ACME_KEY: 'key-of-the-vendor' }).run({
      ...taskWorkbench(),
      lease,
      gateway: { url: 'http://gateway.invalid/v1', apiKey: null, ...NO_RETRIES },
      workspace,
      redactor: new Redactor([]),
      logger: createLogger('test'),
      signal: new AbortController().signal,
      publish: (type, data) => events.push({ type, data }),
      waitWhilePaused: () => Promise.resolve(),
      reportSteps: () => Promise.resolve(),
      conversation,
      mayAsk: false,
      runtimes: {
        for: () => {
          throw new Error('unused');
        },
      },
      ...options.task,
    });
    result.catch(() => undefined);
    return { events, result, conversation };
  }

  async function failureOf(run: Run): Promise<RuntimeFailure> {
    const error: unknown = await run.result.catch((failure: unknown) => failure);
    if (!(error instanceof RuntimeFailure)) throw new Error(`unexpected: ${String(error)}`);
    return error;
  }

  const ofType = ({ events }: Run, type: string): JsonObject[] =>
    events.filter((event) => event.type === type).map(({ data }) => data);

  const echoed = async (run: Run): Promise<JsonObject> => JSON.parse((await run.result).response) as JsonObject;

  it('publishes messages, thinking and tool calls, and returns the result with its usage', async () => {
    const run = start('tools');
    const result = await run.result;
    const chunks = ofType(run, 'message_chunk');
    expect(chunks.map(({ content }) => content)).toEqual(['Writing.', 'Done.']);
    expect(result).toEqual({
      response: 'Done.',
      messageId: chunks[1]?.['message_id'],
      usage: {
        prompt_tokens: 130,
        completion_tokens: 7,
        total_tokens: 137,
        model: 'vendor-model',
        requests: 3,
        tool_calls: 2,
      },
    });
    expect(ofType(run, 'thinking_delta')).toEqual([
      { message_id: chunks[0]?.['message_id'], content: 'I write a file.' },
    ]);
    expect(ofType(run, 'tool_completed')).toMatchObject([
      { tool_name: 'Write', tool_arguments: { path: 'made.txt' }, status: 'success', tool_output: 'Wrote it' },
      { tool_name: 'Read', status: 'failed', tool_error: 'No such file' },
    ]);
    expect(run.conversation.marked({}).map(({ role, content }) => [role, content])).toEqual([
      ['user', 'tools'],
      ['assistant', 'Writing.'],
      ['tool', 'Wrote it'],
      ['assistant', ''],
      ['tool', 'No such file'],
      ['assistant', 'Done.'],
    ]);
  });

  it('works in the folder of the run, with the variables of the run and the allowed ones', async () => {
    process.env['WORKER_TEST_PRIVATE'] = 'not for commands';
    const run = start('echo', {
      lease: {
        environment: { CITY: 'Rome', ACME_KEY: 'of the run' },
        agent: { execution_environment: { working_dir: 'src' } },
      },
    });
    const { cwd, env } = await echoed(run);
    expect(String(cwd).startsWith(folder) && String(cwd).endsWith('/src')).toBe(true);
    expect(env).toEqual({
      CITY: 'Rome',
      ACME_KEY: 'key-of-the-vendor',
      HOME: cwd,
      WORKER_PROCESS_GROUP: expect.any(String),
    });
  });

  it('passes the prompts to the standard input, or into the arguments with their placeholders', async () => {
    const agent = { system_prompt: 'Be brief.' };
    expect(await echoed(start('echo one', { lease: { agent } }))).toMatchObject({
      input: 'Be brief.\n\necho one',
      args: [],
    });
    const args = [FIXTURE, '--model', '{{model}}', '--system={{system_prompt}}', '{{other}}'];
    const run = start('echo {{model}}', { settings: { args }, lease: { agent } });
    expect(await echoed(run)).toMatchObject({
      input: 'echo {{model}}',
      args: ['--model', 'development-model', '--system=Be brief.', '{{other}}'],
    });
    expect((await run.result).usage.model).toBe('development-model');
  });

  it('prepends the earlier messages of the session to the prompt', async () => {
    const conversation: Conversation = {
      history: {
        earlier: [
          { role: 'user', content: 'I am Ann.' },
          { role: 'assistant', content: 'Hello.' },
        ],
        own: [],
      },
      append: () => undefined,
      attach: () => undefined,
    };
    const { input } = await echoed(start('and\necho', { task: { conversation } }));
    expect(input).toBe('user: I am Ann.\n\nassistant: Hello.\n\nuser: and\necho');
  });

  it.each([
    ['garbage', 'printed a line that is not a JSON object (line 2)'],
    ['list', 'printed a line that is not a JSON object (line 1)'],
    ['deep', 'printed JSON that is nested too deeply (line 1)'],
    ['endless', 'printed a line of more than 4 MiB'],
    ['flood', 'printed more than 50000 lines'],
    ['fail', 'ended with the exit code 3'],
    ['error', 'reported an error; see the events of the run'],
    ['nothing', 'ended without a result'],
  ])('fails with the reason if the command does: %s', async (prompt, reason) => {
    expect((await failureOf(start(prompt))).message).toBe(`The command of the runtime acme_code ${reason}`);
  });

  it('reports the usage and stores the messages up to a failure', async () => {
    const run = start('fail');
    expect((await failureOf(run)).usage).toMatchObject({ prompt_tokens: 20, completion_tokens: 2, requests: 1 });
    expect(run.conversation.marked({}).map(({ content }) => content)).toEqual(['fail', 'Not yet.']);
  });

  it('fails if the command cannot be started', async () => {
    const run = start('echo', { settings: { command: join(folder, 'none') } });
    expect((await failureOf(run)).message).toBe('The command of the runtime acme_code cannot be started (ENOENT)');
  });

  it('kills the command and what it started when the run is aborted', async () => {
    const aborted = new AbortController();
    const mark = `mark-${folder}`;
    const run = start(`sleep ${mark}`, { task: { signal: aborted.signal } });
    await eventually(() => expect(ofType(run, 'message_chunk')).toHaveLength(1));
    await eventually(() => expect(processesWith(mark)).toHaveLength(1));
    aborted.abort();
    expect((await failureOf(run)).message).toBe('The run was aborted');
    await eventually(() => expect(processesWith(mark)).toEqual([]));
  });

  it('reports tools that the command does not have, and fails for settings that it would ignore', async () => {
    const skills = [
      { name: 'sh', type: 'shell' },
      { name: 'tone', type: 'custom', configuration: {} },
    ];
    const run = start('echo', { lease: { skills, mcp_servers: { web: { url: 'http://mcp.invalid' } } } });
    await run.result;
    expect(ofType(run, 'metadata')).toEqual([
      { unavailable_skills: [{ name: 'sh', type: 'shell' }], unavailable_mcp_servers: ['web'] },
    ]);
    const delegates = [{ name: 'Ann', description: null, run: () => Promise.resolve('') }];
    expect((await failureOf(start('echo', { task: { delegates } }))).message).toMatch(/cannot lead a team/);
    const restricted = start('echo', { task: { allowedTools: new Set(['Read']) } });
    expect((await failureOf(restricted)).message).toMatch(/cannot be restricted to the tools of a team/);
  });
});
