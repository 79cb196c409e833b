import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { unwrap } from '@app/api-client';
import { eventually, processesWith } from '@app/testing';
import { Platform } from '../support/platform.js';
import { dataOf, ofType, Scenario } from '../support/scenario.js';

const CODING_AGENT = join(__dirname, '../../apps/worker/src/runtimes/command/fixtures/coding-agent.mjs');

describe('agents with a runtime that is a command', () => {
  let platform: Platform;
  let user: Scenario;
  let workspace: string;
  let agentId: string;

  beforeAll(async () => {
    workspace = mkdtempSync(join(tmpdir(), 'runtimes-'));
    platform = await Platform.shared();
    user = new Scenario(platform);
    await platform.startWorker({
      WORKER_WORKSPACE: workspace,
      WORKER_RUNTIMES: JSON.stringify({
        acme_code: { command: process.execPath, args: [CODING_AGENT], env: ['ACME_TOKEN'] },
      }),
      ACME_TOKEN: 'token-of-the-vendor',
      A_SECRET_OF_THE_WORKER: 'not for commands',
    });
    agentId = await user.newAgent({ runtime: 'acme_code' });
  });

  afterAll(async () => {
    await platform.stop();
    rmSync(workspace, { recursive: true });
  });

  it('return its messages, tool calls, files and usage as those of the run', async () => {
    const id = await user.execute(agentId, 'tools');
    const events = await user.readEvents(id);
    expect(await user.execution(id)).toMatchObject({
      status: 'completed',
      response: 'Done.',
      usage: { prompt_tokens: 130, completion_tokens: 7, total_tokens: 137, requests: 3, tool_calls: 2 },
    });
    expect(ofType(events, 'tool_completed').map(dataOf)).toMatchObject([
      { tool_name: 'Write', status: 'success', tool_output: 'Wrote it' },
      { tool_name: 'Read', status: 'failed', tool_error: 'No such file' },
    ]);
    const params = { path: { execution_id: id } };
    const calls = await unwrap(user.client.GET('/api/v1/executions/{execution_id}/tool-calls', { params }));
    expect(calls).toMatchObject([
      { tool_name: 'Write', attempt: 1, status: 'success', output: 'Wrote it', error: null },
      { tool_name: 'Read', attempt: 1, status: 'failed', output: null, error: 'No such file' },
    ]);
    const files = await unwrap(user.client.GET('/api/v1/executions/{execution_id}/files', { params }));
    expect(files).toMatchObject([{ name: 'made.txt', size: 5 }]);
  });

  it('complete at the first attempt if files and folders cannot be read or named', async () => {
    const id = await user.execute(agentId, 'odd');
    const events = await user.readEvents(id);
    expect(await user.execution(id)).toMatchObject({ status: 'completed', response: 'Made.' });
    expect(ofType(events, 'run_started').map((event) => dataOf(event)['attempt'])).toEqual([1]);
    const [leftOut] = ofType(events, 'metadata').map((event) => dataOf(event)['files_left_out']);
    const odd = ['folder-\uFFFD', 'odd-\uFFFD'].map((name) => ({ name, reason: 'its name is not UTF-8' }));
    // The system lets root read everything.
    const closed = process.getuid?.() === 0 ? [] : [{ name: 'closed', reason: 'it cannot be read' }];
    expect(leftOut).toEqual([...odd, ...closed]);
    const params = { path: { execution_id: id } };
    const files = await unwrap(user.client.GET('/api/v1/executions/{execution_id}/files', { params }));
    expect(files).toMatchObject([{ name: 'made.txt' }]);
  });

  it('receive the allowed variables of the worker, whose secrets are redacted', async () => {
    const id = await user.execute(agentId, 'echo');
    const { response } = await user.waitUntilEnded(id);
    const { env } = JSON.parse(response ?? '') as { env: Record<string, string> };
    expect(env).toMatchObject({ ACME_TOKEN: '[redacted]', PATH: expect.any(String) });
    expect(Object.keys(env)).not.toContain('A_SECRET_OF_THE_WORKER');
  });

  it('fail with an error that contains no output of the command', async () => {
    const id = await user.execute(agentId, 'garbage');
    expect(await user.waitUntilEnded(id)).toMatchObject({
      status: 'failed',
      error_message: 'The command of the runtime acme_code printed a line that is not a JSON object (line 2)',
    });
  });

  it('end with everything that they started when the run is cancelled', async () => {
    const mark = `mark-${workspace}`;
    const id = await user.execute(agentId, `sleep ${mark}`);
    await eventually(() => expect(processesWith(mark)).toHaveLength(1));
    await user.cancel(id);
    await eventually(() => expect(processesWith(mark)).toEqual([]));
    expect((await user.execution(id)).status).toBe('cancelled');
    await eventually(() => expect(readdirSync(workspace)).toEqual([]));
  });

  it('fail at their start if no worker has their runtime; a step of a workflow fails when it runs', async () => {
    const other = await user.newAgent({ name: 'other', runtime: 'other_code' });
    expect(await user.execution(await user.execute(other, 'Anything'))).toMatchObject({
      status: 'failed',
      error_message:
        'No live worker of the worker queue default has the runtime other_code; they have: acme_code, default',
    });
    const body = { name: 'w', steps: [{ name: 'code', type: 'agent' as const, agent_id: other, prompt: 'Anything' }] };
    const workflow = await unwrap(user.client.POST('/api/v1/workflows', { body }));
    const params = { path: { workflow_id: workflow.id } };
    const run = await unwrap(user.client.POST('/api/v1/workflows/{workflow_id}/execute', { params, body: {} }));
    expect(await user.waitUntilEnded(run.execution_id)).toMatchObject({
      status: 'failed',
      error_message: expect.stringContaining(
        'This worker has no runtime other_code; available runtimes: default, acme_code (setting WORKER_RUNTIMES)',
      ),
    });
  });

  it('run on the queue whose worker has their runtime', async () => {
    await user.newQueue('coding');
    const WORKER_RUNTIMES = JSON.stringify({ beta_code: { command: process.execPath, args: [CODING_AGENT] } });
    const coding = await platform.startWorker({ WORKER_QUEUE: 'coding', WORKER_RUNTIMES, WORKER_SKILLS: 'shell' });
    const workers = await unwrap(user.client.GET('/api/v1/workers'));
    expect(workers.find(({ id }) => id === coding.id)).toMatchObject({
      runtimes: ['default', 'beta_code'],
      skills: ['shell'],
    });
    const beta = await user.newAgent({ name: 'beta', runtime: 'beta_code' });
    const runs = await Promise.all([1, 2, 3].map(() => user.execute(beta, 'echo')));
    runs.push(await user.execute(agentId, 'echo'));
    for (const id of runs) expect((await user.waitUntilEnded(id)).status).toBe('completed');
  });
});
