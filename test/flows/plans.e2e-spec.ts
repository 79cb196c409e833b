import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { unwrap } from '@app/api-client';
import { call, type HttpResponse } from '../support/http.js';
import { Platform } from '../support/platform.js';
import { dataOf, ofType, Scenario, type Execution } from '../support/scenario.js';

type Json = Record<string, unknown>;

const PLAN = { planning_mode: 'on_the_fly', entity_type: null, entity_id: null } as const;
const choose = (more: Json): string => `[[tool choose_candidate ${JSON.stringify(more)}]]`;

describe('executions whose worker chooses what runs', () => {
  let platform: Platform;
  let user: Scenario;

  beforeAll(async () => {
    platform = await Platform.start({ modelGateway: true, env: { DEFAULT_MODEL: 'development-model' } });
    user = new Scenario(platform);
  });

  afterAll(() => platform.stop());

  const send = (method: string, path: string, body?: unknown): Promise<HttpResponse> =>
    call(method, `${platform.url}/api/v1${path}`, { key: platform.adminKey, body });

  async function json(method: string, path: string, body?: unknown): Promise<Json> {
    const response = await send(method, path, body);
    if (response.status >= 300)
      throw new Error(`${method} ${path}: ${response.status} ${JSON.stringify(response.body)}`);
    return response.body as Json;
  }

  /** An environment of its own with a queue, so that the candidates are those of one test. */
  async function newPlace(): Promise<{ environmentId: string; queueId: string }> {
    const environmentId = String((await json('POST', '/environments', { name: `lab-${crypto.randomUUID()}` }))['id']);
    const queue = { name: crypto.randomUUID(), heartbeat_interval: 10 };
    return {
      environmentId,
      queueId: String((await json('POST', `/environments/${environmentId}/worker-queues`, queue))['id']),
    };
  }

  async function trigger(queueId: string, prompt: string, fields: Json = {}): Promise<string> {
    const queue = { executor_type: 'specific_queue', worker_queue_name: queueId } as const;
    const job = await user.newJob('', { ...PLAN, ...queue, ...fields });
    return (await user.trigger(job, { prompt })).execution_id;
  }

  async function deny(entity_type: string, entity_id: string, text: string): Promise<void> {
    const content = `package guard\n\nviolations contains "${text}" if input.action == "execute"`;
    const policy_id = (await json('POST', '/policies', { name: 'guard', policy_content: content }))['id'];
    await json('POST', '/policies/associations', { policy_id, entity_type, entity_id });
  }

  describe('with the reference worker', () => {
    let place: { environmentId: string; queueId: string };

    beforeAll(async () => {
      place = await newPlace();
      await platform.startWorker({ WORKER_QUEUE: place.queueId });
    });

    const newAgent = (name: string, more: Json = {}): Promise<string> =>
      user.newAgent({ name, environment_ids: [place.environmentId], ...more });
    const run = async (prompt: string): Promise<Execution> => user.waitUntilEnded(await trigger(place.queueId, prompt));

    it('run the agent that the model chose, and tell the plan', async () => {
      const agentId = await newAgent('ornithologist', { description: 'Knows birds' });
      const id = await trigger(place.queueId, 'Ask the ornithologist [[say owls fly]]');
      const events = await user.follow(id).done;
      const ended = await user.execution(id);
      expect(ended).toMatchObject({
        ...{ status: 'completed', execution_type: 'agent', entity_id: agentId, entity_name: 'ornithologist' },
        response: 'owls fly',
        usage: { requests: 2 },
        execution_metadata: { plan: { entity_type: 'agent', entity_id: agentId, reason: expect.any(String) } },
      });
      const plans = ofType(events, 'metadata').map((event) => dataOf(event)['plan']);
      expect(plans).toEqual([
        expect.objectContaining({ entity_id: agentId, entity_name: 'ornithologist', denial: null }),
      ]);
      expect(ofType(events, 'run_started').map(dataOf)).toMatchObject([{ agent_name: 'ornithologist' }]);
    });

    it('run the team that the model chose, with its members', async () => {
      const { id: teamId } = await unwrap(user.client.POST('/api/v1/teams', { body: { name: 'editorial crew' } }));
      await newAgent('proofreader', { team_id: teamId });
      const delegated = 'delegate to member with member=proofreader and task=typos';
      const choice = choose({ candidate: 'editorial crew', prompt: delegated, reason: 'it edits' });
      expect(await run(choice)).toMatchObject({
        ...{ status: 'completed', execution_type: 'team', entity_id: teamId, prompt: delegated },
        response: expect.stringMatching(/delegate_to_member answered: .*typos/),
      });
    });

    it('ask the model once more after an answer that names no candidate, then fail', async () => {
      await newAgent('cartographer');
      const nonsense = choose({ candidate: 'nobody', prompt: null, reason: 'x' });
      const once = await run(`${nonsense} and then the cartographer`);
      expect(once).toMatchObject({ status: 'completed', entity_name: 'cartographer' });
      const twice = await run(nonsense.replace(']]', ' x2]]'));
      expect(twice).toMatchObject({
        ...{ status: 'failed', entity_id: null, usage: { requests: 2 } },
        error_message: 'The model chose no candidate: "nobody" is none of the candidates',
      });
    });

    it('fail with the violations if policies deny what was chosen', async () => {
      const agentId = await newAgent('saboteur');
      await deny('agent', agentId, 'never this one');
      const id = await trigger(place.queueId, 'Ask the saboteur');
      const events = await user.follow(id).done;
      expect(await user.execution(id)).toMatchObject({
        ...{ status: 'failed', entity_id: agentId, entity_name: 'saboteur' },
        error_message: 'Denied by policy "guard" (version 1): never this one',
      });
      expect(ofType(events, 'metadata').map((event) => dataOf(event)['plan'])).toMatchObject([{ entity_id: agentId }]);
      expect(ofType(events, 'run_started')).toEqual([]);
    });

    it('fail if there is no candidate', async () => {
      const empty = await newPlace();
      await platform.startWorker({ WORKER_QUEUE: empty.queueId });
      expect(await user.waitUntilEnded(await trigger(empty.queueId, 'Ask somebody'))).toMatchObject({
        ...{ status: 'failed', error_message: expect.stringContaining('There is no agent or team') },
      });
    });
  });
});
