import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { call } from '../support/http.js';
import { Platform } from '../support/platform.js';

type Json = Record<string, unknown>;

describe('what a job runs', () => {
  let platform: Platform;
  let agentId: string;
  let teamId: string;

  async function send(method: string, path: string, body?: unknown): Promise<{ body: Json; notice: string | null }> {
    const response = await call(method, `${platform.url}/api/v1${path}`, { key: platform.adminKey, body });
    expect(response.status).toBeLessThan(300);
    return { body: response.body as Json, notice: response.headers.get('x-notice') };
  }

  const create = (fields: Json): Promise<{ body: Json; notice: string | null }> =>
    send('POST', '/jobs', { name: 'j', trigger_type: 'manual', prompt_template: 'Go', ...fields });

  async function triggered(job: Json): Promise<Json> {
    const { body } = await send('POST', `/jobs/${String(job['id'])}/trigger`);
    return (await send('GET', `/executions/${String(body['execution_id'])}`)).body;
  }

  beforeAll(async () => {
    platform = await Platform.shared();
    agentId = String((await send('POST', '/agents', { name: 'writer' })).body['id']);
    teamId = String((await send('POST', '/teams', { name: 'crew' })).body['id']);
  });

  afterAll(() => platform.stop());

  it('is the entity of entity_type, also without a planning mode, which keeps its default', async () => {
    const { body: job, notice } = await create({ entity_type: 'team', entity_id: teamId });
    expect(job).toMatchObject({ planning_mode: 'predefined_agent', entity_type: 'team', entity_name: 'crew' });
    expect(notice).toBeNull();
    expect(await triggered(job)).toMatchObject({ execution_type: 'team', entity_id: teamId, error_message: null });
    const byMode = await create({ planning_mode: 'predefined_team', entity_id: teamId });
    expect(byMode).toMatchObject({ body: { entity_type: null, entity_name: 'crew' }, notice: null });
    expect(await triggered(byMode.body)).toMatchObject({ execution_type: 'team', entity_id: teamId });
  });

  it('is stated in X-Notice if the fields contradict each other, on creation and on update', async () => {
    const contradiction = { planning_mode: 'predefined_agent', entity_type: 'team' };
    const text = 'entity_type is team and planning_mode is predefined_agent: the job runs a team';
    const { body: job, notice } = await create({ ...contradiction, entity_id: teamId });
    expect(notice).toBe(text);
    expect(job).toMatchObject(contradiction);
    expect(await triggered(job)).toMatchObject({ execution_type: 'team' });
    const { body: agentJob } = await create({ entity_type: 'agent', entity_id: agentId });
    const changed = await send('PATCH', `/jobs/${String(agentJob['id'])}`, { planning_mode: 'predefined_workflow' });
    expect(changed.notice).toBe('entity_type is agent and planning_mode is predefined_workflow: the job runs an agent');
    const unknown = await create({ entity_type: 'robot', entity_id: agentId });
    expect(unknown.notice).toBe('entity_type robot is not one of agent, team, workflow: the job runs an agent');
  });

  it('is stated in X-Notice if there is no such entity now, with what the id names instead', async () => {
    const nothing = await create({ entity_id: 'nobody' });
    expect(nothing).toMatchObject({
      body: { entity_id: 'nobody' },
      notice: 'A start fails now: There is no agent nobody',
    });
    expect((await create({ entity_id: teamId })).notice).toBe(
      `A start fails now: There is no agent ${teamId}, but a team (entity_type)`,
    );
    expect((await create({ entity_id: 'writer' })).notice).toBe(
      `A start fails now: There is no agent writer, but an agent of this name, with the id ${agentId}`,
    );
    expect((await create({ entity_id: 'caf\u00e9' })).notice).toBe('A start fails now: There is no agent caf?');
    const queue = { executor_type: 'specific_queue', worker_queue_name: 'mars' };
    expect((await create({ entity_id: agentId, ...queue })).notice).toContain('mars');
  });
});
