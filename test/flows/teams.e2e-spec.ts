import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { unwrap } from '@app/api-client';
import { Platform } from '../support/platform.js';
import { dataOf, ofType, Scenario, type Execution } from '../support/scenario.js';

const MCP_SERVER = join(__dirname, '../../apps/worker/src/runtimes/default/fixtures/mcp-server.mjs');
const delegate = (member: string, task: string): string =>
  `[[tool delegate_to_member ${JSON.stringify({ member, task })}]]`;

describe('runs of teams', () => {
  let platform: Platform;
  let user: Scenario;

  beforeAll(async () => {
    platform = await Platform.shared();
    await platform.startWorker();
    user = new Scenario(platform);
  });

  afterAll(() => platform.stop());

  async function newTeam(configuration: Record<string, unknown> = {}): Promise<string> {
    const mcp_servers = { fixture: { command: process.execPath, args: [MCP_SERVER] } };
    const { id } = await unwrap(user.client.POST('/api/v1/teams', { body: { name: 'crew', configuration } }));
    await user.newAgent({ name: 'researcher', team_id: id, description: 'Finds facts' });
    await user.newAgent({ name: 'editor', team_id: id, execution_environment: { mcp_servers } });
    return id;
  }

  async function run(teamId: string, prompt: string): Promise<string> {
    const params = { path: { team_id: teamId } };
    return (await unwrap(user.client.POST('/api/v1/teams/{team_id}/execute', { params, body: { prompt } })))
      .execution_id;
  }

  it('let the leader delegate to several members at once, and return their answers', async () => {
    const parts = [delegate('researcher', '[[delay 1s]] [[say the facts]]'), delegate('editor', '[[say the style]]')];
    const id = await run(await newTeam(), `[[parallel]] ${parts.join(' ')} and sum up`);
    const events = await user.follow(id).done;
    const ended = await user.execution(id);
    expect(ended).toMatchObject({ status: 'completed', execution_type: 'team' });
    expect(ended.response).toMatch(/the facts[\s\S]*the style/);
    const ends = ofType(events, 'member_message_complete').map(dataOf);
    expect(ends).toHaveLength(2);
    expect(ends).toContainEqual(expect.objectContaining({ member_name: 'editor', content: 'the style' }));
    expect(ends).toContainEqual(expect.objectContaining({ member_name: 'researcher', content: 'the facts' }));
    const types = events.map(({ event }) => event);
    expect(types.lastIndexOf('tool_started')).toBeLessThan(types.indexOf('tool_completed'));
    const starts = ofType(events, 'tool_started').map(dataOf);
    expect(starts.map((data) => data['tool_name'])).toEqual(['delegate_to_member', 'delegate_to_member']);
    const chunks = ofType(events, 'member_message_chunk').map(dataOf);
    expect(new Set(chunks.map((data) => data['member_name']))).toEqual(new Set(['researcher', 'editor']));
    // Two requests of the leader and one of each member.
    expect(ended.usage).toMatchObject({ requests: 4, tool_calls: 2 });
  });

  it('report a member that fails to the leader, and continue', async () => {
    const id = await run(await newTeam(), `${delegate('researcher', '[[error 400]]')} and go on`);
    const events = await user.follow(id).done;
    expect(await user.execution(id)).toMatchObject({ status: 'completed' });
    expect(ofType(events, 'tool_completed').map(dataOf)).toMatchObject([
      { status: 'failed', tool_error: expect.stringContaining('400') },
    ]);
  });

  it('give members their own tools, as far as the team allows them', async () => {
    const team = await newTeam({ tools: [{ name: 'add' }] });
    const id = await run(team, delegate('editor', 'add a=40 b=2 and env name=PATH'));
    const events = await user.follow(id).done;
    expect(await user.execution(id)).toMatchObject({ status: 'completed', response: expect.stringContaining('42') });
    const tools = ofType(events, 'member_tool_completed').map(dataOf);
    expect(tools).toMatchObject([{ tool_name: 'add', status: 'success', tool_output: '42', member_name: 'editor' }]);
    const params = { path: { execution_id: id } };
    const saved = await unwrap(user.client.GET('/api/v1/executions/{execution_id}/tool-calls', { params }));
    const call = { attempt: 1, status: 'success', duration_ms: expect.any(Number), truncated: false };
    expect(saved).toMatchObject([
      { ...call, tool_name: 'add', member_name: 'editor', arguments: { a: 40, b: 2 }, output: '42' },
      { ...call, tool_name: 'delegate_to_member', member_name: null },
    ]);
  });

  it('run as a step of a workflow', async () => {
    const team_id = await newTeam();
    const prompt = `${delegate('researcher', '[[say {{params.fact}}]]')} and sum up`;
    const body = { name: 'with a team', steps: [{ name: 'team', type: 'team' as const, team_id, prompt }] };
    const { id } = await unwrap(user.client.POST('/api/v1/workflows', { body }));
    const path = { workflow_id: id };
    const started = user.client.POST('/api/v1/workflows/{workflow_id}/execute', {
      params: { path },
      body: { params: { fact: 'owls fly' } },
    });
    const { execution_id } = await unwrap(started);
    const ended = await user.waitUntilEnded(execution_id);
    expect(ended).toMatchObject({ status: 'completed', response: expect.stringContaining('owls fly') });
  });

  it('think before the leader works: within the bounds of `reasoning`, and with the model that it names', async () => {
    const value = 'development-model-small';
    const model = await unwrap(
      user.client.POST('/api/v1/models', { body: { value, label: 'Small', provider: 'development' } }),
    );
    const thinking = async (prompt: string, reasoning: Record<string, unknown>): Promise<string> =>
      run(await newTeam({ reasoning: { enabled: true, min_steps: 2, max_steps: 3, ...reasoning } }), prompt);
    const short = await thinking('next=answer thought=owls', { model: model.id });
    const events = await user.follow(short).done;
    expect(await user.execution(short)).toMatchObject({ status: 'completed', usage: { requests: 3 } });
    expect(ofType(events, 'thinking_delta').map((event) => dataOf(event)['content'])).toEqual(['owls', 'owls']);
    expect(ofType(events, 'thinking_complete')).toHaveLength(2);
    const long = await thinking('think', {});
    expect(ofType(await user.follow(long).done, 'thinking_start')).toHaveLength(3);
    expect(await user.waitUntilEnded(await thinking('think', { model: 'unknown' }))).toMatchObject({
      status: 'failed',
      error_message: expect.stringContaining('404'),
    });
  });

  it('answer with JSON that fits the response model, after a second request if necessary', async () => {
    const schema = {
      type: 'object',
      properties: { city: { type: 'string' }, n: { type: 'integer' } },
      required: ['n'],
    };
    const answer = async (prompt: string, configuration: Record<string, unknown>): Promise<Execution> =>
      user.waitUntilEnded(await run(await newTeam({ structured_outputs: true, ...configuration }), prompt));
    const response_model = JSON.stringify(schema);
    const fitting = await answer('city=Rome n=3', { response_model });
    expect(JSON.parse(fitting.response ?? '')).toEqual({ city: 'Rome', n: 3 });
    const metadata = { response_models: { place: schema } };
    const second = await answer('[[say nonsense]]', { response_model: 'place', metadata });
    expect(second).toMatchObject({ status: 'completed', usage: { requests: 2 } });
    expect(JSON.parse(second.response ?? '')).toEqual({ n: expect.any(Number) });
    const hopeless = { type: 'object', properties: { a: { type: 'string', pattern: '^z{99}$' } }, required: ['a'] };
    expect(await answer('a=b', { response_model: JSON.stringify(hopeless) })).toMatchObject({
      status: 'failed',
      error_message: expect.stringContaining('does not fit the response model: /a must match pattern'),
    });
    expect(await answer('a=b', { response_model: 'unknown' })).toMatchObject({
      status: 'failed',
      error_message: expect.stringContaining('neither a JSON Schema nor the name'),
    });
  });

  it('publish the size and time of each request to a model in debug mode', async () => {
    const id = await run(await newTeam({ debug_mode: true }), delegate('researcher', '[[say the facts]]'));
    const events = await user.follow(id).done;
    const requests = ofType(events, 'metadata').map((event) => dataOf(event)['model_request']);
    // Two requests of the leader and one of the member.
    expect(requests).toHaveLength(3);
    for (const request of requests) {
      expect(request).toEqual({ bytes: expect.any(Number), status: 200, duration_ms: expect.any(Number) });
    }
  });
});
