import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { unwrap, type ControlPlaneComponents } from '@app/api-client';
import { ExactNumber } from '@app/kernel';
import { eventually } from '@app/testing';
import { call } from '../support/http.js';
import { Platform, type WorkerApp } from '../support/platform.js';
import { dataOf, ofType, Scenario } from '../support/scenario.js';

type Step = Record<string, unknown> & { readonly name: string };
type StepState = ControlPlaneComponents['schemas']['ExecutionStepResponse'];

const MCP_SERVER = join(__dirname, '../../apps/worker/src/runtimes/default/fixtures/mcp-server.mjs');
const say = (text: string): { type: string; prompt: string } => ({ type: 'prompt', prompt: `[[say ${text}]]` });
/** Leases of five seconds at the shortest heartbeat, so that they expire within a test. */
const SHORT_LEASES = { LEASE_HEARTBEATS: '0.5' };

describe('runs of workflows', () => {
  let platform: Platform;
  let user: Scenario;
  let agentId: string;
  let folder: string;
  let count = 0;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'workflows-'));
    platform = await Platform.start({
      modelGateway: true,
      platformApi: true,
      env: { RECONCILE_INTERVAL_MS: '500', DEFAULT_MODEL: 'development-model' },
    });
    await platform.startWorker();
    user = new Scenario(platform);
    agentId = await user.newAgent({ name: 'writer', system_prompt: 'Be brief.' });
    const params = { path: { environment_id: 'default' } };
    const mcp_servers = { fixture: { command: process.execPath, args: [MCP_SERVER] } };
    const body = { execution_environment: { mcp_servers } };
    await unwrap(user.client.PATCH('/api/v1/environments/{environment_id}', { params, body }));
  });

  afterAll(async () => {
    await platform.stop();
    rmSync(folder, { recursive: true });
  });

  async function newWorkflow(steps: readonly Step[], configuration: Record<string, unknown> = {}): Promise<string> {
    count += 1;
    const body = { name: `workflow ${count}`, steps: steps as never[], configuration };
    return (await unwrap(user.client.POST('/api/v1/workflows', { body }))).id;
  }

  async function start(id: string, params: Record<string, unknown> = {}, queue?: string): Promise<string> {
    const path = { workflow_id: id };
    const body = { params, ...(queue === undefined ? {} : { worker_queue_id: queue }) };
    const started = user.client.POST('/api/v1/workflows/{workflow_id}/execute', { params: { path }, body });
    return (await unwrap(started)).execution_id;
  }

  /** The second control plane, for the tests whose workers die. */
  async function urlWithShortLeases(): Promise<string> {
    return (platform.controlPlanes[1] ?? (await platform.startControlPlane(SHORT_LEASES))).url;
  }

  async function stepsOf(executionId: string): Promise<StepState[]> {
    const params = { path: { execution_id: executionId } };
    return unwrap(user.client.GET('/api/v1/executions/{execution_id}/steps', { params }));
  }

  const statesOf = async (executionId: string): Promise<Record<string, string>> =>
    Object.fromEntries((await stepsOf(executionId)).map(({ name, status }) => [name, status]));

  const tally = (file: string, line: string, wait_ms = 0): object => ({
    type: 'tool',
    tool: { server: 'fixture', name: 'tally', arguments: { file: join(folder, file), line, wait_ms } },
  });
  const linesOf = (file: string): string[] => readFileSync(join(folder, file), 'utf8').trim().split('\n');

  it('run steps in parallel, with parameters and outputs in later prompts and arguments', async () => {
    const id = await newWorkflow([
      { name: 'topic', ...say('{{params.topic}}') },
      { name: 'left', type: 'agent', agent_id: 'writer', prompt: '[[say {{steps.topic.output}}-left]]' },
      { name: 'right', type: 'agent', agent_id: agentId, prompt: '[[say {{steps.topic.output}}-right]]' },
      {
        name: 'sum',
        type: 'tool',
        tool: { server: 'fixture', name: 'add', arguments: { a: '{{params.a}}', b: 2 } },
      },
      { name: 'all', ...say('{{steps.left.output}} {{ steps.right.output }} {{steps.sum.output}} {{params.none}}') },
    ]);
    const executionId = await start(id, { topic: 'sun', a: 40 });
    const events = await user.follow(executionId).done;
    const ended = await user.execution(executionId);
    expect(ended).toMatchObject({
      status: 'completed',
      execution_type: 'workflow',
      entity_id: id,
      response: 'sun-left sun-right 42 {{params.none}}',
      execution_metadata: { parameters: { topic: 'sun', a: 40 } },
    });
    const steps = await stepsOf(executionId);
    expect(steps.map(({ name, type, status, attempt, output }) => [name, type, status, attempt, output])).toEqual([
      ['topic', 'prompt', 'completed', 1, 'sun'],
      ['left', 'agent', 'completed', 1, 'sun-left'],
      ['right', 'agent', 'completed', 1, 'sun-right'],
      ['sum', 'tool', 'completed', 1, '42'],
      ['all', 'prompt', 'completed', 1, ended.response],
    ]);
    const params = { path: { execution_id: executionId } };
    const calls = await unwrap(user.client.GET('/api/v1/executions/{execution_id}/tool-calls', { params }));
    expect(calls).toMatchObject([{ tool_name: 'add', attempt: 1, status: 'success', output: '42', error: null }]);
    const tokens = steps.map(({ usage }) => Number(usage['total_tokens'] ?? 0));
    expect(ended.usage['total_tokens']).toBe(tokens.reduce((sum, one) => sum + one));
    const named = (type: string): string[] => ofType(events, type).map((event) => String(dataOf(event)['step']));
    expect(named('step_started').toSorted()).toEqual(['all', 'left', 'right', 'sum', 'topic']);
    expect(named('step_completed').at(-1)).toBe('all');
    expect(new Set(named('message_chunk'))).toEqual(new Set(['topic', 'left', 'right', 'all']));
    const records = await eventually(async () => {
      const tasks = await user.tasks(executionId);
      expect(tasks).toHaveLength(steps.length + 1);
      return tasks;
    });
    expect(records).toContainEqual(
      expect.objectContaining({ task_id: 'step:sum:1', task_type: 'workflow_tool', status: 'completed', result: '42' }),
    );
  });

  it('keep the digits of numbers in parameters, prompts, arguments and outputs', async () => {
    const [ref, rate] = [new ExactNumber('8202522731445525542'), new ExactNumber('0.12345678901234567891')];
    const id = await newWorkflow([
      { name: 'order', ...say('{"ref": {{params.ref}}, "rate": {{params.deep.rate}}}') },
      {
        name: 'sum',
        type: 'tool',
        tool: {
          server: 'fixture',
          name: 'add',
          arguments: { a: '{{steps.order.output.ref}}', b: 1, deep: '{{params.deep}}' },
        },
      },
    ]);
    const executionId = await start(id, { ref, deep: { rate } });
    await user.waitUntilEnded(executionId);
    const [order, sum] = await stepsOf(executionId);
    expect(order?.output).toBe(`{"ref": ${ref}, "rate": ${rate}}`);
    expect(sum?.status).toBe('completed');
    const { body } = await call('GET', `${platform.url}/api/v1/executions/${executionId}/tool-calls`, {
      key: platform.adminKey,
      exactNumbers: true,
    });
    expect(body).toMatchObject([{ arguments: { a: ref, b: 1, deep: { rate } } }]);
  });

  it('skip steps whose condition is false, and those that depend on skipped steps alone', async () => {
    const id = await newWorkflow([
      { name: 'first', ...say('yes, 7 times') },
      {
        name: 'taken',
        ...say('taken'),
        when: [
          { step: 'first', contains: 'yes' },
          { step: 'first', matches: '\\d' },
        ],
      },
      { name: 'other', ...say('other'), when: { step: 'first', equals: 'no' } },
      { name: 'after-other', ...say('after {{steps.other.output}}') },
      { name: 'join', ...say('{{steps.taken.output}}{{steps.other.output}}') },
      { name: 'instead', ...say('instead'), when: { step: 'other', exists: false } },
    ]);
    const executionId = await start(id);
    const { status, response } = await user.waitUntilEnded(executionId);
    expect([status, JSON.parse(response ?? '')]).toEqual([
      'completed',
      { 'after-other': null, join: 'taken', instead: 'instead' },
    ]);
    expect(await statesOf(executionId)).toEqual({
      first: 'completed',
      taken: 'completed',
      other: 'skipped',
      'after-other': 'skipped',
      join: 'completed',
      instead: 'completed',
    });
  });

  it('repeat failed steps up to their maximum number of attempts, and end those that take too long', async () => {
    const shaky = { server: 'fixture', name: 'shaky', arguments: { file: join(folder, 'shaky') } };
    const id = await newWorkflow(
      [
        { name: 'shaky', type: 'tool', tool: shaky, retry: { max_attempts: 3, delay_seconds: 0 } },
        { name: 'broken', type: 'prompt', prompt: '[[error 400]]', retry: { max_attempts: 2 } },
        { name: 'slow', type: 'prompt', prompt: '[[delay 60s]]', timeout_seconds: 1 },
        { name: 'unknown', type: 'tool', tool: { server: 'nowhere', name: 'x' } },
        { name: 'after', ...say('after'), depends_on: ['broken', 'slow'] },
      ],
      { continue_on_error: true },
    );
    const executionId = await start(id);
    expect(await user.waitUntilEnded(executionId)).toMatchObject({ status: 'completed' });
    expect(
      (await stepsOf(executionId)).map((step) => [step.status, step.attempt, step.output ?? step.error_message]),
    ).toEqual([
      ['completed', 2, 'call 2'],
      ['failed', 2, expect.stringContaining('400')],
      ['failed', 1, 'It did not finish within 1 s'],
      ['failed', 1, 'There is no MCP server nowhere'],
      ['skipped', 0, expect.stringContaining('No output')],
    ]);
  });

  it('fail after a step has failed and the running steps have ended', async () => {
    const id = await newWorkflow([
      { name: 'sibling', type: 'prompt', prompt: '[[delay 3s]] [[say done]]' },
      { name: 'broken', type: 'prompt', prompt: '[[error 400]]' },
      { name: 'after', ...say('never'), depends_on: ['sibling'] },
    ]);
    const executionId = await start(id);
    expect(await user.waitUntilEnded(executionId)).toMatchObject({
      status: 'failed',
      error_message: expect.stringMatching(/^The step broken failed: .*400/),
    });
    expect(await statesOf(executionId)).toEqual({ sibling: 'completed', broken: 'failed', after: 'cancelled' });
  });

  it('run 500 steps', async () => {
    const fan = Array.from({ length: 498 }, (_, n) => ({ name: `n${n}`, ...say(`${n} {{steps.seed.output}}`) }));
    const last = { name: 'last', ...say('end'), depends_on: fan.map(({ name }) => name) };
    const executionId = await start(await newWorkflow([{ name: 'seed', ...say('seed') }, ...fan, last]));
    expect(await user.waitUntilEnded(executionId, 600_000)).toMatchObject({ status: 'completed', response: 'end' });
    const steps = await stepsOf(executionId);
    expect(steps).toHaveLength(500);
    expect(steps.slice(1, 499).map(({ output }) => output)).toEqual(fan.map((_step, n) => `${n} seed`));
  }, 700_000);

  it('run for jobs and by name on the platform API, with the parameters of the trigger', async () => {
    const id = await newWorkflow([{ name: 'only', ...say('{{params.prompt}}/{{params.x}}') }]);
    const jobId = await user.newJob(id, { planning_mode: 'predefined_workflow', entity_type: 'workflow' });
    const { execution_id } = await user.trigger(jobId, { prompt: 'rendered', x: 1 });
    expect(await user.waitUntilEnded(execution_id)).toMatchObject({ status: 'completed', response: 'rendered/1' });
    const url = `${platform.platformApi?.url}/api/v1/workflows/${encodeURIComponent(`workflow ${count}`)}/execute`;
    const options = { scheme: 'UserKey', key: platform.adminKey, body: { params: { x: 'y' } } };
    const { status, body } = await call('POST', url, options);
    expect(status).toBe(200);
    const ended = await user.waitUntilEnded((body as { execution_id: string }).execution_id);
    expect(ended).toMatchObject({ status: 'completed', response: '{{params.prompt}}/y', user_id: expect.any(String) });
  });

  it('are denied by the policies of an agent that a step names', async () => {
    const guarded = await user.newAgent({ name: 'guarded' });
    const policy = { name: 'deny', policy_content: 'package p\n\nviolations contains "not this agent"' };
    const { id: policy_id } = await unwrap(user.client.POST('/api/v1/policies', { body: policy }));
    const association = { entity_type: 'agent', entity_id: guarded, policy_id } as const;
    await unwrap(user.client.POST('/api/v1/policies/associations', { body: association }));
    const id = await newWorkflow([
      { name: 'free', ...say('free') },
      { name: 'guarded', type: 'agent', agent_id: 'guarded', prompt: 'Go' },
    ]);
    const executionId = await start(id);
    expect(await user.execution(executionId)).toMatchObject({
      status: 'failed',
      error_message: expect.stringContaining('not this agent'),
    });
    expect(await statesOf(executionId)).toEqual({ free: 'cancelled', guarded: 'cancelled' });
  });

  it('stop when they are cancelled, with the processes of their tools', async () => {
    const queueId = await user.newQueue('cancelled-workflow');
    const worker = await platform.startWorker({ WORKER_QUEUE: queueId, WORKER_CONCURRENCY: '1' });
    const id = await newWorkflow([
      { name: 'endless', type: 'prompt', prompt: '[[pace 50ms]] [[tokens 5000]]' },
      { name: 'tool', ...tally('cancelled', 'once', 600_000) },
      { name: 'after', ...say('never'), depends_on: ['endless'] },
    ]);
    const executionId = await start(id, {}, queueId);
    await user.follow(executionId).waitFor('message_chunk');
    await eventually(() => expect(linesOf('cancelled')).toEqual(['once']));
    await user.cancel(executionId);
    // The worker runs one execution at a time, so it has stopped the cancelled one once it completes the next.
    expect(await user.waitUntilEnded(await user.execute(agentId, 'Next', queueId))).toMatchObject({
      status: 'completed',
    });
    expect(await statesOf(executionId)).toEqual({ endless: 'cancelled', tool: 'cancelled', after: 'cancelled' });
    await worker.process.kill('SIGTERM');
  });

  it('continue after the stored steps when their worker dies', async () => {
    const queueId = await user.newQueue('dying-workflow');
    const first = await platform.startWorker({ WORKER_QUEUE: queueId, CONTROL_PLANE_URL: await urlWithShortLeases() });
    const id = await newWorkflow([
      { name: 'a', ...tally('died', 'a') },
      { name: 'b', ...tally('died', 'b'), depends_on: ['a'] },
      { name: 'c', ...tally('died', 'c', 3_000), depends_on: ['b'] },
      { name: 'd', ...tally('died', 'd {{steps.b.output}} {{params.x}}'), depends_on: ['c'] },
    ]);
    const executionId = await start(id, { x: 'kept' }, queueId);
    const reader = user.follow(executionId);
    await eventually(() => expect(linesOf('died')).toEqual(['a', 'b', 'c']));
    await first.process.kill('SIGKILL');
    await platform.startWorker({ WORKER_QUEUE: queueId });
    const events = await reader.done;
    expect(ofType(events, 'run_started').map((event) => dataOf(event)['attempt'])).toEqual([1, 2]);
    expect(await user.execution(executionId)).toMatchObject({ status: 'completed', response: '5' });
    const steps = await stepsOf(executionId);
    expect(steps.map(({ name, attempt }) => [name, attempt])).toEqual([
      ['a', 1],
      ['b', 1],
      ['c', 2],
      ['d', 1],
    ]);
    // Each step has at most one effect per recorded attempt.
    expect(linesOf('died')).toEqual(['a', 'b', 'c', 'c', 'd 2 kept']);
  });

  it('repeat no stored step, and no step more often than its attempts, while workers are killed', async () => {
    const WORKER_QUEUE = await user.newQueue('often-dying-workflow');
    const CONTROL_PLANE_URL = await urlWithShortLeases();
    const newWorker = (): Promise<WorkerApp> => platform.startWorker({ WORKER_QUEUE, CONTROL_PLANE_URL });
    const victims = ['a1', 'b2'];
    const steps = ['a1', 'b1', 'a2', 'b2', 'a3', 'b3'].map((name) => ({
      name,
      ...tally(`often-${name}`, name, victims.includes(name) ? 2_000 : 100),
      depends_on: name.endsWith('1') ? [] : [name.replace(/\d/, (n) => String(Number(n) - 1))],
    }));
    const effectsOf = (name: string): number =>
      existsSync(join(folder, `often-${name}`)) ? linesOf(`often-${name}`).length : 0;
    const executionId = await start(await newWorkflow(steps), {}, WORKER_QUEUE);
    const stored = new Map<string, number>();
    for (const victim of victims) {
      const worker = await newWorker();
      await eventually(() => expect(effectsOf(victim)).toBe(1));
      await worker.process.kill('SIGKILL');
      const completed = (await stepsOf(executionId)).filter(({ status }) => status === 'completed');
      for (const { name } of completed) stored.set(name, effectsOf(name));
    }
    await newWorker();
    expect(await user.waitUntilEnded(executionId)).toMatchObject({ status: 'completed' });
    const ended = await stepsOf(executionId);
    for (const { name, attempt } of ended) expect([name, effectsOf(name) <= attempt]).toEqual([name, true]);
    expect(stored.size).toBeGreaterThan(0);
    for (const [name, effects] of stored) expect([name, effectsOf(name)]).toEqual([name, effects]);
    const attempts = new Map(ended.map(({ name, attempt }) => [name, attempt]));
    for (const name of victims) expect(attempts.get(name)).toBeGreaterThan(1);
  });
});
