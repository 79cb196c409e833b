import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@app/testing';
import { Platform } from '../support/platform.js';
import { countersOf, dataOf, ofType, Scenario } from '../support/scenario.js';

const MCP_SERVER = join(__dirname, '../../apps/worker/src/runtimes/default/fixtures/mcp-server.mjs');

describe('a run, from its trigger to its final state', () => {
  let platform: Platform;
  let user: Scenario;

  beforeAll(async () => {
    platform = await Platform.shared();
    await platform.startWorker();
    user = new Scenario(platform);
  });

  afterAll(() => platform.stop());

  it('streams its events, ends with response and usage, and is counted for its job', async () => {
    const agentId = await user.newAgent({ name: 'greeter', system_prompt: 'Be friendly.' });
    const jobId = await user.newJob(agentId, {
      prompt_template: 'Greet {{ name }} from {{ place.city }}, {{ unknown }}',
    });
    const parameters = { name: 'Ada', place: { city: 'London' } };
    const triggered = await user.trigger(jobId, parameters);
    expect(triggered).toMatchObject({ job_id: jobId, status: 'started', workflow_id: expect.any(String) });

    const id = triggered.execution_id;
    const events = await user.follow(id).done;
    const types = events.map(({ event }) => event);
    expect(types[0]).toBe('connected');
    expect(types.at(-1)).toBe('done');
    expect(types.indexOf('run_started')).toBeLessThan(types.indexOf('message_chunk'));
    expect(types.lastIndexOf('message_chunk')).toBeLessThan(types.indexOf('message'));
    expect(ofType(events, 'status').map(({ data }) => data['status'])).toEqual(['running', 'completed']);
    expect(countersOf(events)).toEqual(Array.from(countersOf(events), (_, index) => index + 1));
    const streamedText = ofType(events, 'message_chunk')
      .map((event) => String(dataOf(event)['content']))
      .join('');

    const prompt = 'Greet Ada from London, {{ unknown }}';
    const ended = await user.execution(id);
    expect(ended).toMatchObject({ status: 'completed', prompt, error_message: null, entity_id: agentId });
    expect(ended).toMatchObject({ execution_type: 'agent', entity_name: 'greeter', user_id: expect.any(String) });
    expect(ended.execution_metadata).toMatchObject({ job_id: jobId, parameters });
    expect(ended.response).toContain('Greet Ada from London');
    expect(streamedText).toBe(ended.response);
    expect(events.at(-1)?.data).toMatchObject({ execution_id: id, status: 'completed', response: ended.response });
    expect(Number(ended.usage['total_tokens'])).toBeGreaterThan(0);
    expect(ended.created_at <= (ended.started_at ?? '') && (ended.started_at ?? '') <= (ended.completed_at ?? '')).toBe(
      true,
    );

    // A worker writes the record of a run after its final state, which ends the stream.
    const job = await eventually(async () => {
      expect(await user.tasks(id)).toEqual([expect.objectContaining({ execution_id: id, status: 'completed' })]);
      const counted = await user.job(jobId);
      expect(counted).toMatchObject({ total_executions: 1, successful_executions: 1, failed_executions: 0 });
      return counted;
    });
    expect(job).toMatchObject({ last_execution_id: id, last_triggered_at: expect.any(String) });
    expect(job.execution_history).toEqual([
      expect.objectContaining({ execution_id: id, trigger_type: 'manual', status: 'completed', error_message: null }),
    ]);
  });

  it('returns the same events to readers that connect after its end', async () => {
    const id = await user.execute(await user.newAgent(), 'Once');
    const storedEvents = (events: Awaited<ReturnType<Scenario['readEvents']>>) =>
      events.filter((event) => event.id !== undefined);
    const live = storedEvents(await user.follow(id).done);
    expect(storedEvents(await user.readEvents(id))).toEqual(live);
    const middle = live[Math.floor(live.length / 2)];
    const rest = await user.follow(id, { lastEventId: middle?.id ?? '' }).done;
    expect(storedEvents(rest)).toEqual(live.slice(live.indexOf(middle as (typeof live)[number]) + 1));
  });

  it('starts without a job when a client executes the agent', async () => {
    const agentId = await user.newAgent({ name: 'direct' });
    const id = await user.execute(agentId, 'Say [[say exactly this]]');
    const events = await user.follow(id).done;
    expect(dataOf(ofType(events, 'message')[0] ?? { id: undefined, event: '', data: {} })['content']).toBe(
      'exactly this',
    );
    expect(await user.execution(id)).toMatchObject({ status: 'completed', response: 'exactly this' });
    expect((await user.execution(id)).execution_metadata).not.toHaveProperty('job_id');
  });

  it('uses the tools of the MCP servers in its execution environment', async () => {
    const mcp_servers = { fixture: { command: process.execPath, args: [MCP_SERVER] } };
    const agentId = await user.newAgent({
      execution_environment: { mcp_servers, env_vars: { PLANET: 'Mars' } },
    });
    const id = await user.execute(agentId, '[[tool add {"a":40,"b":2}]] [[tool env {"name":"PLANET"}]] and tell me');
    const events = await user.follow(id).done;
    const started = ofType(events, 'tool_started').map(dataOf);
    const completed = ofType(events, 'tool_completed').map(dataOf);
    expect(started).toMatchObject([
      { tool_name: expect.stringContaining('add'), tool_arguments: { a: 40, b: 2 } },
      { tool_name: expect.stringContaining('env'), tool_arguments: { name: 'PLANET' } },
    ]);
    expect(completed.map((data) => [data['tool_execution_id'], data['status']])).toEqual(
      started.map((data) => [data['tool_execution_id'], 'success']),
    );
    expect(JSON.stringify(completed.map((data) => data['tool_output']))).toMatch(/42.*PLANET is Mars/);
    const ended = await user.execution(id);
    expect(ended).toMatchObject({ status: 'completed', response: expect.stringContaining('42') });
  });

  it('fails with the error of the model gateway, and is counted as a failure of its job', async () => {
    const jobId = await user.newJob(await user.newAgent());
    const { execution_id: id } = await user.trigger(jobId, { prompt: '[[error 400]]' });
    const events = await user.follow(id).done;
    expect(ofType(events, 'error')).toHaveLength(1);
    expect(await user.execution(id)).toMatchObject({ status: 'failed', error_message: expect.stringContaining('400') });
    const counts = { total_executions: 1, successful_executions: 0, failed_executions: 1 };
    await eventually(async () => expect(await user.job(jobId)).toMatchObject(counts));
  });

  it.each([
    ['the agent', { entity_id: 'no-such-agent' }, 'no-such-agent'],
    ['the queue', { executor_type: 'specific_queue' as const, worker_queue_name: 'no-such-queue' }, 'no-such-queue'],
    [
      'the environment',
      { executor_type: 'environment' as const, environment_name: 'no-such-environment' },
      'no-such-environment',
    ],
  ])('fails at once and names what is missing when %s does not exist', async (_kind, fields, name) => {
    const jobId = await user.newJob(await user.newAgent(), fields);
    const triggered = await user.trigger(jobId, { prompt: 'Go' });
    expect(triggered.message).toContain(name);
    const events = await user.follow(triggered.execution_id).done;
    expect(events.at(-1)?.data).toMatchObject({ status: 'failed', error_message: expect.stringContaining(name) });
    const ended = await user.execution(triggered.execution_id);
    expect(ended).toMatchObject({ status: 'failed', error_message: expect.stringContaining(name), started_at: null });
    const counts = { failed_executions: 1, total_executions: 1 };
    await eventually(async () => expect(await user.job(jobId)).toMatchObject(counts));
  });
});
