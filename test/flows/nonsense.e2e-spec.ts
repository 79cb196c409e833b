import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { unwrap } from '@app/api-client';
import { Platform } from '../support/platform.js';
import { dataOf, ofType, Scenario, type Execution } from '../support/scenario.js';

const delegate = (member: string, task: string, times = 1): string =>
  `[[tool delegate_to_member ${JSON.stringify({ member, task })} x${times}]]`;

interface Nonsense {
  readonly prompt: string;
  /** Why the run ends. */
  readonly reason: RegExp;
  /** The error that the model receives for each of its calls; undefined: it calls no tool. */
  readonly fault?: RegExp;
}

const NONSENSE: Readonly<Record<string, Nonsense>> = {
  'calls a tool with arguments that are not JSON': {
    prompt: '[[garble]] [[tool list_files x9]]',
    reason: /did not finish within 3 steps/,
    fault: /Invalid input for tool list_files/,
  },
  'calls a tool that does not exist': {
    prompt: '[[tool no_such_tool x9]]',
    reason: /did not finish within 3 steps/,
    fault: /unavailable tool 'no_such_tool'/,
  },
  'calls a tool with arguments that it rejects': {
    prompt: 'path=../../elsewhere [[tool list_files x9]]',
    reason: /did not finish within 3 steps/,
    fault: /leaves the workspace of the run/,
  },
  'answers nothing': { prompt: '[[say]]', reason: /The answer of the model is empty/ },
  'breaks the connection': { prompt: 'a b c d e f [[break 2]]', reason: /The connection to the model gateway broke/ },
  'ends in the middle of its answer': {
    prompt: 'a b c d e f [[cut 2]]',
    reason: /Response stream ended without a finish reason/,
  },
};

describe('a misbehaving model', () => {
  let platform: Platform;
  let user: Scenario;
  let agentId: string;
  let teamId: string;
  let workflowId: string;

  beforeAll(async () => {
    platform = await Platform.shared();
    await platform.startWorker();
    user = new Scenario(platform);
    const skill = { name: 'files', type: 'file_system' };
    const skill_ids = [(await unwrap(user.client.POST('/api/v1/skills', { body: skill }))).id];
    const configuration = { max_steps: 3 };
    teamId = await newTeam({ skill_ids, configuration });
    agentId = await user.newAgent({ name: 'solo', skill_ids, configuration });
    await user.newAgent({ name: 'researcher', team_id: teamId, skill_ids, configuration });
    const steps = [{ name: 'only', type: 'agent' as const, agent_id: agentId, prompt: '{{params.prompt}}' }];
    workflowId = (await unwrap(user.client.POST('/api/v1/workflows', { body: { name: 'flow', steps } }))).id;
  });

  afterAll(() => platform.stop());

  async function newTeam(fields: Record<string, unknown>): Promise<string> {
    return (await unwrap(user.client.POST('/api/v1/teams', { body: { name: 'crew', ...fields } }))).id;
  }

  async function runTeam(id: string, prompt: string): Promise<string> {
    const params = { path: { team_id: id } };
    return (await unwrap(user.client.POST('/api/v1/teams/{team_id}/execute', { params, body: { prompt } })))
      .execution_id;
  }

  async function runWorkflow(prompt: string): Promise<string> {
    const params = { path: { workflow_id: workflowId } };
    const body = { params: { prompt } };
    return (await unwrap(user.client.POST('/api/v1/workflows/{workflow_id}/execute', { params, body }))).execution_id;
  }

  /** Returns the ended execution and the failures of tool calls whose events have this type. */
  async function end(id: string, type = 'tool_completed'): Promise<{ execution: Execution; faults: unknown[] }> {
    const events = await user.follow(id).done;
    const calls = ofType(events, type).map(dataOf);
    expect(calls.filter(({ status }) => status !== 'failed')).toEqual([]);
    return { execution: await user.execution(id), faults: calls.map((call) => call['tool_error']) };
  }

  const faultsOf = ({ fault }: Nonsense): unknown[] =>
    fault === undefined ? [] : Array.from({ length: 3 }, () => expect.stringMatching(fault));

  it.each(Object.entries(NONSENSE))('that %s fails an agent, a leader and a step', async (_case, nonsense) => {
    const { prompt, reason } = nonsense;
    const ids = await Promise.all([user.execute(agentId, prompt), runTeam(teamId, prompt), runWorkflow(prompt)]);
    const [agent, leader, step] = await Promise.all(ids.map((id) => end(id)));
    const failed = { status: 'failed', error_message: expect.stringMatching(reason) };
    for (const ended of [agent, leader, step]) {
      expect(ended?.execution).toMatchObject(failed);
      expect(ended?.faults).toEqual(faultsOf(nonsense));
    }
    const params = { path: { execution_id: step?.execution.id ?? '' } };
    const states = await unwrap(user.client.GET('/api/v1/executions/{execution_id}/steps', { params }));
    expect(states).toMatchObject([failed]);
  });

  it.each(Object.entries(NONSENSE))('that %s as a member is reported to the leader', async (_case, nonsense) => {
    const id = await runTeam(teamId, delegate('researcher', nonsense.prompt));
    const { execution, faults } = await end(id);
    expect(execution.status).toBe('completed');
    expect(faults).toEqual([expect.stringMatching(nonsense.reason)]);
    expect((await end(id, 'member_tool_completed')).faults).toEqual(faultsOf(nonsense));
  });

  it('that delegates without a task, or to an unknown member, receives an error', async () => {
    const wrong = [{ member: 'researcher' }, { member: 'nobody', task: 'x' }].map(
      (input) => `[[tool delegate_to_member ${JSON.stringify(input)}]]`,
    );
    const { execution, faults } = await end(await runTeam(teamId, wrong.join(' ')));
    expect(faults).toEqual(['The input task must be a text', 'The team has no member nobody']);
    expect(execution).toMatchObject({ status: 'completed', usage: { requests: 3 } });
  });

  describe('that delegates forever', () => {
    it('fails the run after 100 delegations', async () => {
      const crew = await newTeam({ configuration: { max_steps: 1_000 } });
      await user.newAgent({ name: 'writer', team_id: crew });
      const id = await runTeam(crew, delegate('writer', '[[say again]]', 1_000));
      const events = await user.follow(id, { timeoutMs: 280_000 }).done;
      expect(await user.execution(id)).toMatchObject({
        status: 'failed',
        error_message: 'The leader delegated more than 100 times in one run',
        usage: { requests: 201, tool_calls: 101 },
      });
      expect(ofType(events, 'member_message_complete')).toHaveLength(100);
    });

    it('fails the run at once after too many delegations in one step', async () => {
      const crew = await newTeam({ configuration: { max_steps: 1_000 } });
      await user.newAgent({ name: 'writer', team_id: crew });
      const id = await runTeam(crew, `[[parallel]] ${delegate('writer', '[[delay 600s]]', 1_000)}`);
      expect(await user.waitUntilEnded(id)).toMatchObject({
        status: 'failed',
        error_message: 'The leader delegated more than 100 times in one run',
      });
    });

    it('fails the run after max_steps, which is 20 by default', async () => {
      const crew = await newTeam({});
      await user.newAgent({ name: 'writer', team_id: crew });
      expect(await user.waitUntilEnded(await runTeam(crew, delegate('writer', '[[say again]]', 1_000)))).toMatchObject({
        status: 'failed',
        error_message: 'The agent did not finish within 20 steps',
        usage: { requests: 40 },
      });
    });

    it('cannot delegate as a member, even in teams that contain each other', async () => {
      const [one, other] = [await newTeam({ name: 'one' }), await newTeam({ name: 'other' })];
      const skill_ids = (await unwrap(user.client.GET('/api/v1/skills'))).map(({ id }) => id);
      const configuration = { max_steps: 3 };
      const first = await user.newAgent({ name: 'first', team_id: one, skill_ids, configuration });
      const second = await user.newAgent({ name: 'second', team_id: other, skill_ids, configuration });
      for (const [team_id, member] of [
        [one, second],
        [other, first],
      ] as const) {
        const body = { configuration: { member_ids: [member] } };
        await unwrap(user.client.PATCH('/api/v1/teams/{team_id}', { params: { path: { team_id } }, body }));
      }
      const id = await runTeam(one, delegate('second', '[[tool delegate_to_member x9]]'));
      const { execution, faults } = await end(id);
      expect(execution).toMatchObject({ status: 'completed', usage: { requests: 5 } });
      expect(faults).toEqual(['The agent did not finish within 3 steps']);
      const unavailable = expect.stringContaining("unavailable tool 'delegate_to_member'");
      expect((await end(id, 'member_tool_completed')).faults).toEqual([unavailable, unavailable, unavailable]);
    });
  });
});
