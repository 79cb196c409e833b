import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { call, type HttpResponse } from '../support/http.js';
import { Platform } from '../support/platform.js';

type Json = Record<string, unknown>;

describe('values without an effect', () => {
  let platform: Platform;
  let agentId: string;

  beforeAll(async () => {
    platform = await Platform.shared();
    agentId = String(((await send('POST', '/agents', { name: 'a' })).body as Json)['id']);
  });

  afterAll(() => platform.stop());

  const send = (method: string, path: string, body?: unknown): Promise<HttpResponse> =>
    call(method, `${platform.url}/api/v1${path}`, { key: platform.adminKey, body });

  const MISSPELT = { timeout_second: 1, retry_policy: { max_attemps: 2, backoff: { delay: 1, type: 'fixed' } } };
  const NAMES = ['timeout_second', 'retry_policy.max_attemps', 'retry_policy.backoff.delay'];
  const below = (field: string): string => NAMES.map((name) => `${field}.${name}`).join(', ');

  it('are misspelt keys of a configuration, in jobs, triggers and direct starts', async () => {
    const fields = { name: 'j', trigger_type: 'manual', prompt_template: 'p', entity_id: agentId };
    const created = await send('POST', '/jobs', { ...fields, config: MISSPELT });
    expect(created.headers.get('x-ignored-fields')).toBe(below('config'));
    expect(created.body).toMatchObject({ config: MISSPELT });
    const { id } = created.body as Json;
    const triggered = await send('POST', `/jobs/${String(id)}/trigger`, { config_override: MISSPELT });
    expect(triggered.headers.get('x-ignored-fields')).toBe(below('config_override'));
    const config = { timeout_seconds: 5, overlap: 'skip', retry_policy: { max_attempts: 2, retry_on: ['failed'] } };
    const correct = await send('PATCH', `/jobs/${String(id)}`, { config });
    expect(correct.headers.get('x-ignored-fields')).toBeNull();
    const started = await send('POST', `/agents/${agentId}/execute`, { prompt: 'Go', config: MISSPELT });
    expect(started.headers.get('x-ignored-fields')).toBe(below('config'));
  });

  it('are a `multitask` without a session, in starts, jobs, triggers and teams', async () => {
    const noticeOf = async (method: string, path: string, body: unknown): Promise<string | null> =>
      (await send(method, path, body)).headers.get('x-notice');
    const idle = 'multitask has no effect: the execution belongs to no session';
    const start = { prompt: 'Go', multitask: 'reject' };
    expect(await noticeOf('POST', `/agents/${agentId}/execute`, start)).toBe(idle);
    expect(await noticeOf('POST', `/agents/${agentId}/execute`, { ...start, session_id: 'new' })).toBeNull();
    const session = { multitask: 'reject' };
    const team = await send('POST', '/teams', { name: 'idle', configuration: { session } });
    expect(team.headers.get('x-notice')).toBe(
      'multitask of configuration.session has no effect without its session_id',
    );
    const { id: teamId } = team.body as Json;
    expect(await noticeOf('POST', `/teams/${String(teamId)}/execute`, start)).toBe(idle);
    const named = { configuration: { session: { ...session, session_id: 'crew' } } };
    expect(await noticeOf('PATCH', `/teams/${String(teamId)}`, named)).toBeNull();
    const fields = { trigger_type: 'manual', prompt_template: 'p', config: { multitask: 'enqueue' } };
    const job = { ...fields, name: 'idle', entity_type: 'agent', entity_id: agentId };
    const created = await send('POST', '/jobs', job);
    expect(created.headers.get('x-notice')).toBe('multitask has no effect without session_id in config');
    const ofTeam = { ...job, name: 'crew', entity_type: 'team', entity_id: teamId };
    expect(await noticeOf('POST', '/jobs', ofTeam)).toBeNull();
    const trigger = `/jobs/${String((created.body as Json)['id'])}/trigger`;
    expect(await noticeOf('POST', trigger, { config_override: { multitask: 'parallel' } })).toBe(idle);
    expect(await noticeOf('POST', trigger, { config_override: { session_id: 'other' } })).toBeNull();
  });

  it('are checked in the retry policy of a direct start, as in that of a job', async () => {
    const config = { retry_policy: { max_attempts: 0 } };
    const team = (await send('POST', '/teams', { name: 't' })).body as Json;
    for (const path of [`/agents/${agentId}/execute`, `/teams/${String(team['id'])}/execute`]) {
      const refused = await send('POST', path, { prompt: 'Go', config });
      expect(refused).toMatchObject({
        status: 422,
        body: { detail: [{ loc: ['body', 'config', 'retry_policy', 'max_attempts'] }] },
      });
    }
  });

  it('are misspelt fields of the steps of a workflow, and of the configuration of a team', async () => {
    const prompt = { type: 'prompt', prompt: 'p' };
    const steps = [
      { ...prompt, name: 'a', retry: { max_attempt: 2 } },
      { ...prompt, name: 'b', depend_on: ['a'] },
    ];
    const workflow = await send('POST', '/workflows', { name: 'misspelt', steps });
    expect(workflow.headers.get('x-ignored-fields')).toBe('steps.0.retry.max_attempt, steps.1.depend_on');
    expect(workflow.body).toMatchObject({ steps });
    const configuration = { instrucions: 'Be short', llm: { temprature: 0 }, metadata: { any: 1 } };
    const team = await send('POST', '/teams', { name: 't', configuration, execution_environment: { env: {} } });
    expect(team.headers.get('x-ignored-fields')).toBe(
      'configuration.instrucions, configuration.llm.temprature, execution_environment.env',
    );
    const settings = { any: 1, execution_environment: { env_var: {} } };
    const project = await send('POST', '/projects', { name: 'p', key: 'nested', settings });
    expect(project.headers.get('x-ignored-fields')).toBe('settings.execution_environment.env_var');
  });

  it('is the membership that an agent gives up for another', async () => {
    const [first, second] = await Promise.all(
      ['first', 'second'].map(async (name) => (await send('POST', '/teams', { name })).body as Json),
    );
    const { id } = (await send('POST', '/agents', { name: 'mover' })).body as Json;
    const join = async (team: Json | undefined): Promise<string | null> =>
      (await send('POST', `/teams/${String(team?.['id'])}/agents/${String(id)}`)).headers.get('x-notice');
    expect([await join(first), await join(first)]).toEqual([null, null]);
    expect(await join(second)).toBe('The agent left the team first');
    expect(await join(second)).toBeNull();
  });

  it('are models that do not exist, in agents, teams, projects and workflows', async () => {
    const text = 'No model has the id or value no-such; runs send it to the model gateway as it is';
    const noticeOf = async (path: string, body: Json): Promise<string | null> =>
      (await send('POST', path, body)).headers.get('x-notice');
    expect(await noticeOf('/agents', { name: 'a', model_id: 'no-such' })).toBe(text);
    expect(await noticeOf('/teams', { name: 't', configuration: { llm: { model: 'no-such' } } })).toBe(text);
    expect(await noticeOf('/projects', { name: 'p', key: 'models', default_model: 'no-such' })).toBe(text);
    const steps = [{ name: 's', type: 'prompt', prompt: 'p', model_id: 'no-such' }];
    expect(await noticeOf('/workflows', { name: 'w', steps })).toBe(text);
    const changed = await send('PATCH', `/agents/${agentId}`, { model_id: 'no-such' });
    expect(changed.headers.get('x-notice')).toBe(text);
    const known = { value: 'such', label: 'Such', provider: 'p' };
    await send('POST', '/models', known);
    expect(await noticeOf('/agents', { name: 'a', model_id: 'such' })).toBeNull();
  });

  it('are empty values of fields that cannot be empty, in an update', async () => {
    const { id } = (await send('POST', '/agents', { name: 'a' })).body as Json;
    const kept = await send('PATCH', `/agents/${String(id)}`, { name: '', description: '', tags: null });
    expect(kept).toMatchObject({ status: 200, body: { name: 'a', description: null } });
    expect(kept.headers.get('x-notice')).toBe('Not changed, because the sent value is empty: name');
  });
});
