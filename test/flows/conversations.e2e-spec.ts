import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { unwrap, type ControlPlaneComponents } from '@app/api-client';
import { eventually } from '@app/testing';
import { Platform } from '../support/platform.js';
import { dataOf, ofType, Scenario } from '../support/scenario.js';

type Message = ControlPlaneComponents['schemas']['ConversationMessage'];

const MCP_SERVER = join(__dirname, '../../apps/worker/src/runtimes/default/fixtures/mcp-server.mjs');
/** Leases of five seconds at the shortest heartbeat, so that they expire within a test. */
const ENV = { LEASE_HEARTBEATS: '0.5', RECONCILE_INTERVAL_MS: '500', DEFAULT_MODEL: 'development-model' };

describe('conversations of runs', () => {
  let platform: Platform;
  let user: Scenario;
  let folder: string;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'conversations-'));
    platform = await Platform.start({ modelGateway: true, env: ENV });
    await platform.startWorker();
    user = new Scenario(platform);
  });

  afterAll(async () => {
    await platform.stop();
    rmSync(folder, { recursive: true });
  });

  async function newAgent(configuration: Record<string, unknown> = {}): Promise<string> {
    const mcp_servers = { fixture: { command: process.execPath, args: [MCP_SERVER] } };
    const env_vars = { API_KEY: 'value-that-nobody-may-see' };
    return user.newAgent({ name: 'talker', configuration, execution_environment: { mcp_servers, env_vars } });
  }

  async function messagesOf(executionId: string): Promise<Message[]> {
    const params = { path: { execution_id: executionId } };
    return unwrap(user.client.GET('/api/v1/executions/{execution_id}/messages', { params }));
  }

  const tally = (line: string, wait_ms: number): string =>
    `[[tool tally ${JSON.stringify({ file: join(folder, 'tally'), line, wait_ms })}]]`;
  const linesOf = (): string[] => readFileSync(join(folder, 'tally'), 'utf8').trim().split('\n');

  it('are stored with their tool calls and without secrets', async () => {
    const id = await user.execute(await newAgent(), 'add a=40 b=2, then value-that-nobody-may-see');
    const { response } = await user.waitUntilEnded(id);
    const messages = await messagesOf(id);
    expect(messages).toMatchObject([
      { role: 'user', content: 'add a=40 b=2, then [redacted]' },
      { role: 'assistant', content: '', tool_calls: [{ name: 'add', arguments: { a: 40, b: 2 } }] },
      { role: 'tool', tool_name: 'add', content: '42', status: 'success' },
      { role: 'assistant', content: response },
    ]);
    const params = { path: { execution_id: id } };
    const session = await unwrap(user.client.GET('/api/v1/executions/{execution_id}/session', { params }));
    expect(session.messages).toEqual(messages);
  });

  it('are continued after the last stored step when a worker dies', async () => {
    const queueId = await user.newQueue('dying');
    const first = await platform.startWorker({ WORKER_QUEUE: queueId });
    const prompt = `${tally('one', 0)} ${tally('two', 3000)} ${tally('three', 0)} and sum up`;
    const id = await user.execute(await newAgent(), prompt, queueId);
    await eventually(async () => expect(await messagesOf(id)).toHaveLength(3));
    await eventually(() => expect(linesOf()).toContain('two'));
    await first.process.kill('SIGKILL');
    await platform.startWorker({ WORKER_QUEUE: queueId });
    expect(await user.waitUntilEnded(id)).toMatchObject({ status: 'completed' });
    expect(linesOf()).toEqual(['one', 'two', 'two', 'three']);
    const messages = await messagesOf(id);
    expect(messages.map(({ role }) => role).join(' ')).toBe(
      'user assistant tool assistant tool assistant tool assistant',
    );
    expect(new Set(messages.map((message) => message['message_id'])).size).toBe(messages.length);
  });

  it('continue the earlier ones of the same session, for agents and teams', async () => {
    const agentId = await newAgent();
    const inSession = async (prompt: string, session_id: string): Promise<string> => {
      const params = { path: { agent_id: agentId } };
      const body = { prompt, session_id };
      const started = await unwrap(user.client.POST('/api/v1/agents/{agent_id}/execute', { params, body }));
      return (await user.waitUntilEnded(started.execution_id)).response ?? '';
    };
    await inSession('[[say the first answer]] first question', 's1');
    await inSession('[[say of another session]]', 's2');
    const recalled = await inSession('[[recall]]', 's1');
    expect(recalled).toContain('first question\nassistant: the first answer');
    expect(recalled).not.toContain('another session');
    const ofTeam = async (prompt: string, session: Record<string, unknown>): Promise<string> => {
      const body = { name: 'crew', configuration: { session } };
      const { id: team_id } = await unwrap(user.client.POST('/api/v1/teams', { body }));
      const params = { path: { team_id } };
      const started = await unwrap(user.client.POST('/api/v1/teams/{team_id}/execute', { params, body: { prompt } }));
      await user.waitUntilEnded(started.execution_id);
      return started.execution_id;
    };
    const stored = await ofTeam('[[recall]]', { session_id: 's1', auto_save: false });
    expect(await user.execution(stored)).toMatchObject({ response: expect.stringContaining('the first answer') });
    expect(await messagesOf(stored)).toHaveLength(2);
    const ofSomebodyElse = await ofTeam('[[recall]]', { session_id: 's1', user_id: 'somebody else' });
    expect((await user.execution(ofSomebodyElse)).response).not.toContain('first answer');
    expect(await messagesOf(await ofTeam('[[recall]]', { session_id: 's1', persist: false }))).toEqual([]);
  });

  describe('of runs that ask the user', () => {
    const ask = (question: string): string => `[[tool ask_user ${JSON.stringify({ question })}]]`;

    async function send(executionId: string, message: string): Promise<void> {
      const params = { path: { execution_id: executionId } };
      await unwrap(user.client.POST('/api/v1/executions/{execution_id}/message', { params, body: { message } }));
    }

    async function waitUntilAsked(executionId: string): Promise<void> {
      await eventually(async () => expect((await user.execution(executionId)).status).toBe('waiting_for_input'));
    }

    it('wait without a lease, and are continued by another worker when the user answers', async () => {
      const queueId = await user.newQueue('asking');
      const first = await platform.startWorker({ WORKER_QUEUE: queueId, WORKER_CONCURRENCY: '1' });
      const agentId = await newAgent({ ask_user: true });
      const id = await user.execute(agentId, `add a=40 b=2 [[tool add {"a":1,"b":2}]] ${ask('Which color?')}`, queueId);
      const reader = user.follow(id);
      await waitUntilAsked(id);
      await reader.waitFor('message');
      const asked = ofType(reader.events, 'message').map(dataOf);
      expect(asked).toMatchObject([{ role: 'assistant', content: 'Which color?', input_required: true }]);
      // Who joins later sees the question too: in the messages, in the history of the stream and in the lists.
      const asking = { content: 'Which color?', input_required: true, message_id: asked[0]?.['message_id'] };
      expect((await messagesOf(id)).at(-1)).toMatchObject(asking);
      const late = user.follow(id);
      await late.waitFor('history_complete');
      expect(ofType(late.events, 'message').map(dataOf).at(-1)).toMatchObject(asking);
      const { last_message_preview } = await user.execution(id);
      expect(last_message_preview).toBe('Which color?');
      // The only slot of the worker is free.
      const other = await user.execute(agentId, 'another run', queueId);
      expect(await user.waitUntilEnded(other)).toMatchObject({ status: 'completed' });
      const { usage: soFar } = await user.execution(id);
      await first.process.kill('SIGKILL');
      await platform.startWorker({ WORKER_QUEUE: queueId });
      expect((await user.execution(id)).status).toBe('waiting_for_input');
      await send(id, 'blue');
      const events = await reader.done;
      expect(ofType(events, 'run_started').map((event) => dataOf(event)['attempt'])).toEqual([1, 1]);
      const ended = await user.execution(id);
      expect(ended).toMatchObject({
        status: 'completed',
        response: expect.stringContaining('ask_user answered: blue'),
      });
      expect(Number(ended.usage['requests'])).toBeGreaterThan(Number(soFar['requests']));
      const messages = await messagesOf(id);
      expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant', 'user', 'assistant']);
      const completed = ofType(events, 'tool_completed').map(dataOf);
      const question = ofType(events, 'tool_started')
        .map(dataOf)
        .find((data) => data['tool_name'] === 'ask_user');
      const { tool_execution_id, message_id } = question ?? {};
      expect(completed).toContainEqual(
        expect.objectContaining({ tool_name: 'ask_user', tool_output: 'blue', tool_execution_id, message_id }),
      );
      expect(messages.map((message) => message.message_id)).toContain(message_id);
    });

    it('ask more than once, end when they are cancelled, and ask as leaders of teams', async () => {
      const agentId = await newAgent({ ask_user: true });
      const id = await user.execute(agentId, `${ask('First?')} ${ask('Second?')}`);
      for (const answer of ['one', 'two']) {
        await waitUntilAsked(id);
        await send(id, answer);
        await eventually(async () => expect((await user.execution(id)).status).not.toBe('waiting_for_input'));
      }
      const { response } = await user.waitUntilEnded(id);
      expect(response).toMatch(/answered: one\nThe tool ask_user answered: two/);
      const cancelled = await user.execute(agentId, ask('Never answered?'));
      await waitUntilAsked(cancelled);
      expect(await user.cancel(cancelled)).toMatchObject({ status: 'cancelled' });
      const body = { name: 'asking', configuration: { ask_user: true } };
      const { id: team_id } = await unwrap(user.client.POST('/api/v1/teams', { body }));
      const execute = { params: { path: { team_id } }, body: { prompt: ask('For the team?') } };
      const { execution_id } = await unwrap(user.client.POST('/api/v1/teams/{team_id}/execute', execute));
      await waitUntilAsked(execution_id);
      await send(execution_id, 'yes');
      expect(await user.waitUntilEnded(execution_id)).toMatchObject({
        response: expect.stringContaining('answered: yes'),
      });
    });
  });
});
