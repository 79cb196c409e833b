import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { unwrap } from '@app/api-client';
import { Platform } from '../support/platform.js';
import { dataOf, ofType, Scenario } from '../support/scenario.js';

const MCP_SERVER = join(__dirname, '../../apps/worker/src/runtimes/default/fixtures/mcp-server.mjs');
const delegate = (member: string, task: string): string =>
  `[[tool delegate_to_member ${JSON.stringify({ member, task })}]]`;

describe('runs of teams', () => {
  let platform: Platform;
  let user: Scenario;

  beforeAll(async () => {
    platform = await Platform.start({ modelGateway: true, env: { DEFAULT_MODEL: 'development-model' } });
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

  it('let the leader delegate to several members at once, and return what they answer', async () => {
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

  it('report a member that fails to the leader, and go on', async () => {
    const id = await run(await newTeam(), `${delegate('researcher', '[[error 400]]')} and go on`);
    const events = await user.follow(id).done;
    expect(await user.execution(id)).toMatchObject({ status: 'completed' });
    expect(ofType(events, 'tool_completed').map(dataOf)).toMatchObject([
      { status: 'failed', tool_error: expect.stringContaining('400') },
    ]);
  });

  it('give members their own tools, of which the team may allow only some', async () => {
    const team = await newTeam({ tools: [{ name: 'add' }] });
    const id = await run(team, delegate('editor', 'add a=40 b=2 and env name=PATH'));
    const events = await user.follow(id).done;
    expect(await user.execution(id)).toMatchObject({ status: 'completed', response: expect.stringContaining('42') });
    const tools = ofType(events, 'member_tool_completed').map(dataOf);
    expect(tools).toMatchObject([{ tool_name: 'add', status: 'success', tool_output: '42', member_name: 'editor' }]);
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
});
