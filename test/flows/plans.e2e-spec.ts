import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { unwrap } from '@app/api-client';
import { newId } from '@app/kernel';
import { call, type HttpResponse } from '../support/http.js';
import { Platform } from '../support/platform.js';
import { dataOf, ofType, Scenario, type Execution } from '../support/scenario.js';

type Json = Record<string, unknown>;

const PLAN = { planning_mode: 'on_the_fly', entity_type: null, entity_id: null } as const;
/** Candidates of other tests, which run in every environment. */
const GLOBAL = /^(editorial crew|crew|other)$/;
const choose = (more: Json): string => `[[tool choose_candidate ${JSON.stringify(more)}]]`;

describe('executions whose worker chooses what runs', () => {
  let platform: Platform;
  let user: Scenario;

  beforeAll(async () => {
    platform = await Platform.shared();
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

    it('run the agent that the model chose, and publish the plan', async () => {
      const agentId = await newAgent('ornithologist', { description: 'Knows birds' });
      const id = await trigger(place.queueId, 'Ask the ornithologist [[say owls fly]]');
      const events = await user.follow(id).done;
      const ended = await user.execution(id);
      expect(ended).toMatchObject({
        status: 'completed',
        execution_type: 'agent',
        entity_id: agentId,
        entity_name: 'ornithologist',
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
        status: 'completed',
        execution_type: 'team',
        entity_id: teamId,
        prompt: delegated,
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
        status: 'failed',
        entity_id: null,
        usage: { requests: 2 },
        error_message: 'The model chose no candidate: "nobody" is none of the candidates',
      });
    });

    it('fail with the violations if policies deny what was chosen', async () => {
      const agentId = await newAgent('saboteur');
      await deny('agent', agentId, 'never this one');
      const id = await trigger(place.queueId, 'Ask the saboteur');
      const events = await user.follow(id).done;
      expect(await user.execution(id)).toMatchObject({
        status: 'failed',
        entity_id: agentId,
        entity_name: 'saboteur',
        error_message: 'Denied by policy "guard" (version 1): never this one',
      });
      expect(ofType(events, 'metadata').map((event) => dataOf(event)['plan'])).toMatchObject([{ entity_id: agentId }]);
      expect(ofType(events, 'run_started')).toEqual([]);
    });

    it('fail if there is no candidate', async () => {
      const empty = await newPlace();
      await platform.startWorker({ WORKER_QUEUE: empty.queueId });
      expect(await user.waitUntilEnded(await trigger(empty.queueId, 'Ask somebody'))).toMatchObject({
        status: 'failed',
        error_message: expect.stringContaining('There is no agent or team'),
      });
    });
  });

  describe('under the lease of any worker', () => {
    interface Held {
      readonly id: string;
      readonly lease: Json;
      readonly environmentId: string;
      readonly queueId: string;
      readonly workerId: string;
    }

    async function poll(workerId: string): Promise<Json> {
      const [lease] = (await json('POST', `/workers/${workerId}/poll`, { wait_seconds: 20 })) as unknown as [Json];
      return lease;
    }

    async function hold(prompt = 'Go', fields: Json = {}): Promise<Held> {
      const place = await newPlace();
      await user.newAgent({ name: 'first', environment_ids: [place.environmentId] });
      return holdIn(place, prompt, fields);
    }

    async function holdIn(
      place: Awaited<ReturnType<typeof newPlace>>,
      prompt: string,
      fields: Json,
      worker: Json = {},
    ): Promise<Held> {
      const workerId = String((await json('POST', `/worker-queues/${place.queueId}/start`, worker))['worker_id']);
      const id = await trigger(place.queueId, prompt, fields);
      return { ...place, id, workerId, lease: await poll(workerId) };
    }

    const namesOf = ({ lease }: Held): unknown[] =>
      (lease['candidates'] as Json[]).map(({ name }) => name).filter((name) => !GLOBAL.test(String(name)));
    const plan = ({ id, lease }: Held, body: Json, token: unknown = lease['lease_token']): Promise<HttpResponse> =>
      call('POST', `${platform.url}/api/v1/executions/${id}/plan`, {
        key: platform.adminKey,
        body: { entity_type: 'agent', reason: 'fits', ...body },
        headers: token === null ? {} : { 'X-Lease-Token': String(token) },
      });
    const codeOf = ({ status, headers }: HttpResponse): [number, string | null] => [
      status,
      headers.get('x-error-code'),
    ];

    it('offer what the environment may run, the best matches with the prompt first', async () => {
      const place = await newPlace();
      const environment_ids = [place.environmentId];
      const newAgent = (name: string, more: Json = {}): Promise<string> =>
        user.newAgent({ name, environment_ids, ...more });
      await newAgent('baker', { description: 'Bakes bread', capabilities: ['oven'] });
      await newAgent('paused').then((id) => json('PATCH', `/agents/${id}`, { status: 'paused' }));
      await user.newAgent({ name: 'elsewhere', environment_ids: [(await newPlace()).environmentId] });
      const barred = await newAgent('barred');
      const project = { name: 'p', key: crypto.randomUUID(), restrict_to_environment: true };
      const settings = { environment_ids: ['default'] };
      const projectId = (await json('POST', '/projects', { ...project, settings }))['id'];
      await json('POST', `/projects/${projectId}/agents`, { agent_id: barred });
      const team = await json('POST', '/teams', { name: 'bakery', environment_ids });
      await newAgent('miller', { team_id: team['id'], capabilities: ['flour'] });
      const archived = await json('POST', '/teams', { name: 'archived', environment_ids });
      await json('PATCH', `/teams/${archived['id']}`, { status: 'archived' });
      const held = await holdIn(place, 'Who can bake bread in an oven?', {});
      expect(new Set(namesOf(held))).toEqual(new Set(['baker', 'bakery', 'miller']));
      expect(namesOf(held)).toHaveLength(3);
      expect(held.lease['candidates']).toContainEqual({
        entity_type: 'team',
        entity_id: team['id'],
        name: 'bakery',
        description: null,
        capabilities: ['flour'],
      });
      expect((held.lease['candidates'] as Json[])[0]).toMatchObject({ name: 'baker', capabilities: ['oven'] });
      expect(held.lease).toMatchObject({ agent: null, team: null, workflow: null });
      for (const entity_id of [barred, 'unknown']) {
        expect(codeOf(await plan(held, { entity_id }))).toEqual([422, 'request_invalid']);
      }
      expect(codeOf(await plan(held, { entity_type: 'team', entity_id: archived['id'] }))).toEqual([
        422,
        'request_invalid',
      ]);
    });

    it('offer at most 50, and accept another one that may run there', async () => {
      const place = await newPlace();
      const environment_ids = [place.environmentId];
      const agents = await Promise.all(
        Array.from({ length: 51 }, (_, n) => user.newAgent({ name: `n${n}`, environment_ids })),
      );
      const held = await holdIn(place, 'Go', {});
      const offered = (held.lease['candidates'] as Json[]).map(({ entity_id }) => entity_id);
      expect(offered).toHaveLength(50);
      const entity_id = agents.find((id) => !offered.includes(id));
      expect(await plan(held, { entity_id })).toMatchObject({ status: 200, body: { agent: { id: entity_id } } });
    });

    it.each([
      [
        ['default', 'other_code'],
        ['plain', 'mixed crew'],
      ],
      [['acme_code'], ['coder', 'coding crew', 'mixed member']],
      [undefined, ['plain', 'mixed crew', 'coder', 'coding crew', 'mixed member']],
    ])('offer a worker with the runtimes %j what it can run itself', async (runtimes, names) => {
      const place = await newPlace();
      const environment_ids = [place.environmentId];
      const newTeam = (name: string, runtime: string): Promise<Json> =>
        json('POST', '/teams', { name, runtime, environment_ids });
      await user.newAgent({ name: 'plain', environment_ids });
      const coder = await user.newAgent({ name: 'coder', runtime: 'acme_code', environment_ids });
      const coding = await newTeam('coding crew', 'acme_code');
      const mixed = await newTeam('mixed crew', '');
      await user.newAgent({ name: 'mixed member', runtime: 'acme_code', team_id: String(mixed['id']) });
      // Another worker of the queue, which does not hold the lease.
      await json('POST', `/worker-queues/${place.queueId}/start`, { runtimes: ['default', 'acme_code'] });
      const held = await holdIn(place, 'Go', {}, { runtimes });
      expect(new Set(namesOf(held))).toEqual(new Set(names));
      const answers = [
        await plan(held, { entity_id: coder }),
        await plan(held, { entity_type: 'team', entity_id: coding['id'] }),
      ];
      const [own, other] = answers.map(codeOf);
      if (names.includes('coder'))
        expect([own, other]).toEqual([
          [200, null],
          [409, 'execution_planned'],
        ]);
      else for (const refused of [own, other]) expect(refused).toEqual([422, 'request_invalid']);
    });

    it('return the lease for a plan, also when the plan is sent again, and reject another plan', async () => {
      const held = await hold();
      const [candidate] = held.lease['candidates'] as [Json];
      const other = await user.newAgent({ name: 'other' });
      const { entity_id } = candidate;
      const [one, again] = await Promise.all([plan(held, { entity_id }), plan(held, { entity_id })]);
      expect(one.body).toMatchObject({
        lease_token: held.lease['lease_token'],
        attempt: 1,
        candidates: [],
        agent: { id: entity_id },
        execution: { entity_id, entity_name: candidate['name'], prompt: 'Go' },
      });
      expect(again.status).toBe(200);
      expect(codeOf(await plan(held, { entity_id: other }))).toEqual([409, 'execution_planned']);
      expect(codeOf(await plan(held, { entity_id, prompt: 'Else' }))).toEqual([409, 'execution_planned']);
    });

    it('reject a plan without a token or with a stale one, and for an execution that has ended or has an entity', async () => {
      const held = await hold();
      const [{ entity_id }] = held.lease['candidates'] as [Json];
      expect(codeOf(await plan(held, { entity_id }, null))).toEqual([422, 'request_invalid']);
      expect(codeOf(await plan(held, { entity_id }, 'stale'))).toEqual([409, 'lease_lost']);
      expect(codeOf(await plan({ ...held, id: 'unknown' }, { entity_id }))).toEqual([404, 'execution_not_found']);
      const named = await hold('Go', { entity_type: 'agent', entity_id });
      expect(named.lease['candidates']).toEqual([]);
      expect(codeOf(await plan(named, { entity_id }))).toEqual([409, 'execution_has_entity']);
      await call('PATCH', `${platform.url}/api/v1/executions/${held.id}`, {
        key: platform.adminKey,
        headers: { 'X-Lease-Token': String(held.lease['lease_token']) },
        body: { status: 'completed' },
      });
      expect(codeOf(await plan(held, { entity_id }))).toEqual([409, 'execution_finished']);
    });

    it('refuse what belongs to another organization like what does not exist', async () => {
      const { adminKey: key } = await platform.createOrganization('other');
      const other = new Scenario(platform, { key });
      const agentId = await other.newAgent({ name: 'confidential agent' });
      const team = await unwrap(other.client.POST('/api/v1/teams', { body: { name: 'confidential team' } }));
      const held = await hold();
      const [{ entity_id }] = held.lease['candidates'] as [Json];
      for (const foreign of [
        { entity_type: 'agent', entity_id: agentId },
        { entity_type: 'team', entity_id: team.id },
      ]) {
        const unknown = { ...foreign, entity_id: newId() };
        const [refused, missing] = [await plan(held, foreign), await plan(held, unknown)];
        expect(codeOf(refused)).toEqual([422, 'request_invalid']);
        const shown = ({ body }: HttpResponse, id: string): string => JSON.stringify(body).replaceAll(id, 'id');
        expect(shown(refused, foreign.entity_id)).toBe(shown(missing, unknown.entity_id));
      }
      const stored = { entity_id: null, entity_name: null, error_message: null };
      expect(await user.execution(held.id)).toMatchObject(stored);
      expect(await json('GET', `/policies/decisions?execution_id=${held.id}`)).toEqual([]);
      // The lease token of this organization with a key of the other one.
      expect(
        codeOf(
          await call('POST', `${platform.url}/api/v1/executions/${held.id}/plan`, {
            key,
            headers: { 'X-Lease-Token': String(held.lease['lease_token']) },
            body: { entity_type: 'agent', entity_id: agentId, reason: 'fits' },
          }),
        ),
      ).toEqual([404, 'execution_not_found']);
      expect((await plan(held, { entity_id })).status).toBe(200);
    });

    it('accept one of two different plans that arrive together', async () => {
      const held = await hold();
      const second = await user.newAgent({ name: 'second', environment_ids: [held.environmentId] });
      const first = (held.lease['candidates'] as Json[]).find(({ name }) => name === 'first');
      const answers = await Promise.all([first?.['entity_id'], second].map((entity_id) => plan(held, { entity_id })));
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 409]));
      const accepted = answers.find(({ status }) => status === 200)?.body as Json;
      expect((await user.execution(held.id)).entity_id).toBe((accepted['agent'] as Json)['id']);
    });

    it('keep the choice and its members in the next attempt if the worker is lost', async () => {
      const held = await hold();
      const team = await json('POST', '/teams', { name: 'crew', environment_ids: [held.environmentId] });
      const member = await user.newAgent({ name: 'member', team_id: String(team['id']) });
      const planned = await plan(held, { entity_type: 'team', entity_id: team['id'], prompt: 'Do this' });
      expect(planned.status).toBe(200);
      await user.newAgent({ name: 'late', team_id: String(team['id']) });
      await json('POST', `/workers/${held.workerId}/disconnect`, { reason: 'crash', exit_code: 1 });
      const workerId = String((await json('POST', `/worker-queues/${held.queueId}/start`))['worker_id']);
      const next = await poll(workerId);
      expect(next).toMatchObject({ attempt: 2, candidates: [], team: { id: team['id'] } });
      expect(next['execution']).toMatchObject({ id: held.id, entity_id: team['id'], prompt: 'Do this' });
      expect((next['calls'] as Json[]).map(({ agent }) => (agent as Json)['id'])).toEqual([member]);
    });

    it('store nothing for an execution that is cancelled during the choice', async () => {
      const held = await hold();
      const [{ entity_id }] = held.lease['candidates'] as [Json];
      await user.cancel(held.id);
      expect(codeOf(await plan(held, { entity_id }))).toEqual([409, 'lease_lost']);
      expect(await user.execution(held.id)).toMatchObject({ status: 'cancelled', entity_id: null });
    });

    it('repeat the denial of a plan, and record the decision for what was chosen', async () => {
      const held = await hold();
      const [{ entity_id }] = held.lease['candidates'] as [Json];
      await deny('agent', String(entity_id), 'not here');
      for (const answer of [await plan(held, { entity_id }), await plan(held, { entity_id })]) {
        expect(codeOf(answer)).toEqual([403, 'plan_denied']);
        expect(JSON.stringify(answer.body)).toContain('not here');
      }
      const decisions = await json('GET', `/policies/decisions?execution_id=${held.id}`);
      expect(decisions).toMatchObject([{ entity_type: 'agent', entity_id, allowed: false, violations: ['not here'] }]);
      const summaries = await json('GET', `/execution-summaries?entity_id=${entity_id}`);
      expect(JSON.stringify(summaries)).toContain(held.id);
    });
  });
});
