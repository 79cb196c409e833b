import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { call, type HttpResponse } from '../support/http.js';
import { Platform } from '../support/platform.js';
import { Scenario } from '../support/scenario.js';

/** In bytes, above the bound of every read. No single request can be this large, but several rows together can. */
const TOO_LARGE = 9_000_000;

/** The resources of a run. */
interface Case {
  /** The path of a read that has the same bound. */
  readonly read?: string;
  readonly run: { readonly kind: 'agents' | 'teams'; readonly id: string };
}

describe('data that belongs to a run', () => {
  let platform: Platform;
  let user: Scenario;
  let queueId: string;
  let workerId: string;

  beforeAll(async () => {
    platform = await Platform.shared();
    user = new Scenario(platform);
    queueId = await user.newQueue('bounds');
    workerId = (await send<{ worker_id: string }>('POST', `/worker-queues/${queueId}/start`)).worker_id;
  });

  afterAll(() => platform.stop());

  const request = (method: string, path: string, body?: unknown): Promise<HttpResponse> =>
    call(method, `${platform.url}/api/v1${path}`, { key: platform.adminKey, body });

  async function send<Body>(method: string, path: string, body?: unknown): Promise<Body> {
    const response = await request(method, path, body);
    if (response.status >= 300) throw new Error(`${method} ${path}: ${response.status}`);
    return response.body as Body;
  }

  const create = async (path: string, body: unknown): Promise<string> =>
    (await send<{ id: string }>('POST', path, body)).id;

  const enlarge = async (table: string, column: string, id: string, key = 'id'): Promise<void> => {
    const large = `json_build_object('x', repeat('x', ${TOO_LARGE}))`;
    await platform.sql(`UPDATE ${table} SET ${column} = ${large} WHERE ${key} = $1`, [id]);
  };

  const cases: Readonly<Record<string, () => Promise<Case>>> = {
    'The configurations of the integrations': async () => {
      const integration = await create('/integrations', { name: 'large', type: 'any' });
      await enlarge('integrations', 'configuration', integration);
      const id = await user.newAgent({ execution_environment: { integration_ids: [integration] } });
      return { run: { kind: 'agents', id } };
    },
    'The secrets': async () => {
      await send('POST', '/secrets', { name: 'large', value: 'x' });
      await platform.sql(`UPDATE secrets SET sealed = repeat('x', ${TOO_LARGE})::bytea WHERE name = 'large'`);
      const id = await user.newAgent({ execution_environment: { env_vars: { LARGE: 'secret:large' } } });
      return { run: { kind: 'agents', id } };
    },
    'The execution environments of the projects': async () => {
      const id = await user.newAgent();
      const project = await create('/projects', { name: 'large', key: 'LARGE' });
      await send('POST', `/projects/${project}/agents`, { agent_id: id });
      const large = `json_build_object('execution_environment', json_build_object('x', repeat('x', ${TOO_LARGE})))`;
      await platform.sql(`UPDATE projects SET settings = ${large} WHERE id = $1`, [project]);
      return { run: { kind: 'agents', id }, read: `/execution-environment/agents/${id}/resolved` };
    },
    'The skills': async () => {
      const skill = await create('/skills', { name: 'large', type: 'custom' });
      await enlarge('skills', 'configuration', skill);
      const id = await user.newAgent({ skill_ids: [skill] });
      return { run: { kind: 'agents', id }, read: `/skills/associations/agents/${id}/skills/resolved` };
    },
    'The contexts of the layers': async () => {
      const id = await user.newAgent();
      await send('PUT', `/context/agent/${id}`, { resource_ids: ['one'] });
      const large = `array_fill(repeat('x', 1000), ARRAY[${TOO_LARGE / 1000}])`;
      await platform.sql(`UPDATE entity_contexts SET resource_ids = ${large} WHERE entity_id = $1`, [id]);
      return { run: { kind: 'agents', id }, read: `/agents/${id}/context/resolved` };
    },
    'The agents of the team': async () => {
      const id = await create('/teams', { name: 'large' });
      const member = await user.newAgent({ team_id: id });
      await enlarge('agents', 'configuration', member);
      return { run: { kind: 'teams', id }, read: `/teams/${id}` };
    },
  };

  it.each(Object.keys(cases))('fails the run if the data is too large to read: %s', async (what) => {
    const { run, read } = await (cases[what] as () => Promise<Case>)();
    const body = { prompt: 'Hello', worker_queue_id: queueId };
    const { execution_id } = await send<{ execution_id: string }>('POST', `/${run.kind}/${run.id}/execute`, body);
    expect(await send('POST', `/workers/${workerId}/poll`, { max: 1, wait_seconds: 20 })).toEqual([]);
    const error_message = `${what} exceed 8 MiB together`;
    expect(await user.execution(execution_id)).toMatchObject({ status: 'failed', error_message });
    if (read === undefined) return;
    const refused = await request('GET', read);
    expect(refused).toMatchObject({ status: 409, body: { detail: error_message } });
    expect(refused.headers.get('x-error-code')).toBe('related_data_too_large');
  });

  it('is not written if the response to the write would exceed the bound', async () => {
    const team = await create('/teams', { name: 'full' });
    const [large, agent] = [await user.newAgent(), await user.newAgent({ team_id: team })];
    await enlarge('agents', 'configuration', large);
    const detail = 'The agents of the team exceed 8 MiB together';
    expect(await request('POST', `/teams/${team}/agents/${large}`)).toMatchObject({ status: 409, body: { detail } });
    const configuration = { member_ids: [large] };
    expect(await request('PATCH', `/teams/${team}`, { configuration })).toMatchObject({
      status: 409,
      body: { detail },
    });
    expect(await send('GET', `/teams/${team}`)).toMatchObject({ configuration: {}, agents: [{ id: agent }] });

    const skill = await create('/skills', { name: 'verbose', type: 'custom' });
    await platform.sql(`UPDATE skills SET description = repeat('x', ${TOO_LARGE}) WHERE id = $1`, [skill]);
    expect(await request('PATCH', `/agents/${agent}`, { skill_ids: [skill] })).toMatchObject({ status: 409 });
    expect(await send('GET', `/agents/${agent}`)).toMatchObject({ skills: [] });

    const environment = await create('/environments', { name: 'skilled' });
    const later = await create('/skills', { name: 'later', type: 'custom' });
    await send('POST', `/skills/associations/environments/${environment}/skills`, { skill_id: later });
    await platform.sql(`UPDATE skills SET description = repeat('x', ${TOO_LARGE}) WHERE id = $1`, [later]);
    const changed = await request('PATCH', `/environments/${environment}`, { display_name: 'Changed' });
    expect(changed).toMatchObject({ status: 409 });
    await platform.sql(`UPDATE skills SET description = '' WHERE id = $1`, [later]);
    expect(await send('GET', `/environments/${environment}`)).toMatchObject({ display_name: '' });
  });

  it('prevents reads of agents and starts of teams if it exceeds the bound', async () => {
    const skill = await create('/skills', { name: 'described', type: 'custom' });
    const agent = await user.newAgent({ skill_ids: [skill] });
    await platform.sql(`UPDATE skills SET description = repeat('x', ${TOO_LARGE}) WHERE id = $1`, [skill]);
    const detail = 'The skills of the listed entities exceed 8 MiB together';
    expect(await request('GET', `/agents/${agent}`)).toMatchObject({ status: 409, body: { detail } });

    const environment = await create('/environments', { name: 'large' });
    await enlarge('environments', 'execution_environment', environment);
    const placed = await user.newAgent({ environment_ids: [environment] });
    expect(await request('GET', `/execution-environment/agents/${placed}/resolved`)).toMatchObject({
      status: 409,
      body: { detail: 'The execution environments of the environments exceed 8 MiB together' },
    });

    const team = await create('/teams', { name: 'many environments' });
    const member = await user.newAgent({ team_id: team });
    const large = `array_fill(repeat('x', 1000), ARRAY[${TOO_LARGE / 1000}])`;
    await platform.sql(`UPDATE agents SET environment_ids = ${large} WHERE id = $1`, [member]);
    expect(await request('POST', `/teams/${team}/execute`, { prompt: 'Hello' })).toMatchObject({
      status: 409,
      body: { detail: 'The agents of the team exceed 8 MiB together' },
    });
  });
});
