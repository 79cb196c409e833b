import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { unwrap, type AnyEvent } from '@app/api-client';
import { EVENT_SHAPES } from '@app/events';
import { eventually } from '@app/testing';
import { eventFaults } from '../support/event-contract.js';
import { Platform } from '../support/platform.js';
import { Scenario } from '../support/scenario.js';

const MCP_SERVER = join(__dirname, '../../apps/worker/src/runtimes/default/fixtures/mcp-server.mjs');
const mcp_servers = { fixture: { command: process.execPath, args: [MCP_SERVER] } };
const tool = (name: string, input: object): string => `[[tool ${name} ${JSON.stringify(input)}]]`;
const ADD = tool('add', { a: 40, b: 2 });

describe('the events of runs', () => {
  let platform: Platform;
  let user: Scenario;

  beforeAll(async () => {
    platform = await Platform.shared();
    user = new Scenario(platform);
    await platform.startWorker();
  });
  afterAll(() => platform.stop());

  /** An agent with a skill that no worker offers, tools, thoughts, a question and its answer. */
  async function ofAgent(): Promise<readonly AnyEvent[]> {
    const body = { name: 'missing', type: 'docker' };
    const { id: skill } = await unwrap(user.client.POST('/api/v1/skills', { body }));
    const agent = await user.newAgent({
      skill_ids: [skill],
      configuration: { ask_user: true },
      execution_environment: { mcp_servers },
    });
    const id = await user.execute(agent, `[[think so]] ${ADD} ${tool('ask_user', { question: 'Which color?' })}`);
    await eventually(async () => expect((await user.execution(id)).status).toBe('waiting_for_input'));
    const params = { path: { execution_id: id } };
    await unwrap(user.client.POST('/api/v1/executions/{execution_id}/message', { params, body: { message: 'blue' } }));
    return user.readEvents(id);
  }

  async function ofFailure(): Promise<readonly AnyEvent[]> {
    return user.readEvents(await user.execute(await user.newAgent(), '[[error 400]]'));
  }

  /** A cancelled run, read from its begin and after an event that never existed. */
  async function ofCancellation(): Promise<readonly AnyEvent[]> {
    const id = await user.execute(await user.newAgent(), '[[pace 50ms]] [[tokens 5000]]');
    await user.follow(id).waitFor('message_chunk');
    await user.cancel(id);
    const after = await user.follow(id, { lastEventId: `${id}_999999_1` }).done;
    return [...(await user.readEvents(id)), ...after];
  }

  /** A team that thinks, and delegates to a member with tools. */
  async function ofTeam(): Promise<readonly AnyEvent[]> {
    const configuration = { reasoning: { enabled: true, min_steps: 1, max_steps: 1 } };
    const { id: team_id } = await unwrap(user.client.POST('/api/v1/teams', { body: { name: 'crew', configuration } }));
    await user.newAgent({ name: 'editor', team_id, execution_environment: { mcp_servers } });
    const body = { prompt: tool('delegate_to_member', { member: 'editor', task: 'add a=40 b=2' }) };
    const params = { path: { team_id } };
    const started = user.client.POST('/api/v1/teams/{team_id}/execute', { params, body });
    return user.readEvents((await unwrap(started)).execution_id);
  }

  /** A workflow with a step that succeeds, one that is repeated and fails, and one that is skipped. */
  async function ofWorkflow(): Promise<readonly AnyEvent[]> {
    const agent_id = await user.newAgent({ execution_environment: { mcp_servers } });
    const steps = [
      { name: 'good', type: 'agent', agent_id, prompt: ADD },
      { name: 'bad', type: 'prompt', prompt: '[[error 400]]', retry: { max_attempts: 2, delay_seconds: 0 } },
      { name: 'skipped', type: 'prompt', prompt: 'never', depends_on: ['bad'] },
    ];
    const body = { name: 'shapes', steps: steps as never[] };
    const { id: workflow_id } = await unwrap(user.client.POST('/api/v1/workflows', { body }));
    const params = { path: { workflow_id } };
    const started = user.client.POST('/api/v1/workflows/{workflow_id}/execute', { params, body: { params: {} } });
    return user.readEvents((await unwrap(started)).execution_id);
  }

  it('conform to their schemas, and are of all types in the table', async () => {
    const runs = await Promise.all([ofAgent(), ofFailure(), ofCancellation(), ofTeam(), ofWorkflow()]);
    const received = runs.flat();
    expect(received.flatMap(eventFaults)).toEqual([]);
    expect(new Set(received.map(({ event }) => event))).toEqual(new Set(Object.keys(EVENT_SHAPES)));
  });
});
