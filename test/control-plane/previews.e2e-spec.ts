import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { call, type HttpResponse } from '../support/http.js';
import { Platform } from '../support/platform.js';

type Json = Record<string, unknown>;

const GUARD = `package guard

violations contains sprintf("%s must not run", [input.execution.prompt]) if contains(input.execution.prompt, "evil")`;

describe('the preview of a start', () => {
  let platform: Platform;
  let key: string;
  let organizationId: string;

  beforeAll(async () => {
    platform = await Platform.shared();
  });
  // Each test has its own, because executions that have started add rows later.
  beforeEach(async () => {
    ({ adminKey: key, id: organizationId } = await platform.createOrganization('previewing'));
  });
  afterAll(() => platform.stop());

  const send = (method: string, path: string, body?: object): Promise<HttpResponse> =>
    call(method, `${platform.url}/api/v1${path}`, { key, ...(body === undefined ? {} : { body }) });
  const create = async (path: string, body: object): Promise<string> => {
    const { status, body: created } = await send('POST', path, body);
    expect(status).toBe(201);
    return String((created as Json)['id']);
  };
  const preview = async (path: string, body: object = {}): Promise<Json> => {
    const { status, body: previewed } = await send('POST', `${path}/preview`, body);
    expect(status).toBe(200);
    return previewed as Json;
  };

  /** The number of rows of each table that belong to the organization. */
  async function rows(): Promise<Record<string, number>> {
    const tables = await platform.sql<{ name: string }>(
      `SELECT table_name AS name FROM information_schema.columns
       WHERE table_schema = 'public' AND column_name = 'organization_id' ORDER BY 1`,
    );
    const counts: Record<string, number> = {};
    for (const { name } of tables) {
      const [counted] = await platform.sql<{ rows: number }>(
        `SELECT count(*)::int AS rows FROM "${name}" WHERE organization_id = $1`,
        [organizationId],
      );
      counts[name] = counted?.rows ?? 0;
    }
    return counts;
  }

  it('has the prompt, the queue, the model and the verdict of the start, which it does not make', async () => {
    const agent = await create('/agents', { name: 'writer', model_id: 'my-model' });
    const policy = await create('/policies', { name: 'guard', policy_content: GUARD });
    await create('/policies/associations', { policy_id: policy, entity_type: 'agent', entity_id: agent });
    const before = await rows();
    expect(await preview(`/agents/${agent}`, { prompt: 'Write.', system_prompt: 'Be brief.' })).toEqual({
      prompt: 'Write.',
      system_prompt: 'Be brief.',
      missing_parameters: [],
      queue: {
        id: expect.any(String),
        name: 'default',
        environment_name: 'default',
        workers_alive: 0,
        waiting: 0,
        reason: 'default',
      },
      model: { id: null, value: 'my-model', label: null },
      policies: { allowed: true, violations: [], policies_evaluated: 1 },
      problems: ['No live worker serves the queue default; the run waits until one connects'],
    });
    const denied = { allowed: false, violations: ['Be evil. must not run'], policies_evaluated: 1 };
    expect(await preview(`/agents/${agent}`, { prompt: 'Be evil.' })).toMatchObject({ policies: denied });
    expect(await rows()).toEqual(before);
    for (const [prompt, status] of [
      ['Write.', 'pending'],
      ['Be evil.', 'failed'],
    ] as const) {
      expect((await send('POST', `/agents/${agent}/execute`, { prompt })).body).toMatchObject({ status });
    }
  });

  it('of a team and a workflow has what they run', async () => {
    const team = await create('/teams', { name: 'writers' });
    expect(await preview(`/teams/${team}`, { prompt: 'Write.' })).toMatchObject({
      prompt: 'Write.',
      policies: { allowed: true, policies_evaluated: 0 },
      queue: { name: 'default' },
    });
    const steps = [
      { name: 'one', type: 'prompt', prompt: 'About {{params.topic}} for {{params.reader.name}}' },
      { name: 'two', type: 'prompt', prompt: 'Again {{params.topic}} {{steps.one.output}}', depends_on: ['one'] },
    ];
    await create('/workflows', { name: 'Draft', steps });
    const previewed = await preview('/workflows/Draft', { params: { reader: {} } });
    expect(previewed).toMatchObject({ missing_parameters: ['topic', 'reader.name'], prompt: null });
    const params = { topic: 'bees', reader: { name: 'Ada' }, prompt: 'Go' };
    expect(await preview('/workflows/Draft', { params })).toMatchObject({ missing_parameters: [], prompt: 'Go' });
  });

  it('and the trigger of a job name the parameters that are missing, and the trigger starts nevertheless', async () => {
    const agent = await create('/agents', { name: 'writer' });
    const template = { trigger_type: 'manual', prompt_template: '{{ what }} for {{ who.name }}' };
    const job = await create('/jobs', { name: 'writing', entity_type: 'agent', entity_id: agent, ...template });
    const body = { parameters: { what: 'A poem' } };
    expect(await preview(`/jobs/${job}`, body)).toMatchObject({ missing_parameters: ['who.name'] });
    const notice = 'These placeholders have no parameter and remain in the prompt: who.name';
    const triggered = await send('POST', `/jobs/${job}/trigger`, body);
    expect(triggered).toMatchObject({
      status: 200,
      body: { status: 'started', message: expect.stringMatching(new RegExp(`^Execution started; .*${notice}$`)) },
    });
    expect(triggered.headers.get('x-notice')).toBe(notice);
    const complete = await send('POST', `/jobs/${job}/trigger`, {
      parameters: { what: 'A poem', who: { name: 'Ada' } },
    });
    expect(complete.headers.get('x-notice')).toBeNull();
  });

  it('and every start of a workflow name the parameters that are missing', async () => {
    const steps = [{ name: 'one', type: 'prompt', prompt: '{{params.topic}} for {{params.reader.name}}' }];
    const workflow = await create('/workflows', { name: 'Poem', steps });
    const notice = 'These placeholders have no parameter and remain in the prompt: reader.name';
    const message = expect.stringMatching(new RegExp(`started.*${notice}$`));
    const params = { topic: 'bees' };
    const job = { name: 'poem', trigger_type: 'manual', prompt_template: 'Go', entity_type: 'workflow' };
    const id = await create('/jobs', { ...job, entity_id: workflow });
    const executed = await send('POST', '/workflows/Poem/execute', { params });
    const again = await send('POST', `/executions/${String((executed.body as Json)['execution_id'])}/rerun`, {});
    const triggered = await send('POST', `/jobs/${id}/trigger`, { parameters: params });
    for (const started of [executed, again, triggered]) {
      expect(started).toMatchObject({ status: 200, body: { message } });
      expect(started.headers.get('x-notice')).toBe(notice);
    }
    const complete = { topic: 'bees', reader: { name: 'Ada' } };
    for (const [path, body] of [
      ['/workflows/Poem/execute', { params: complete }],
      [`/executions/${String((executed.body as Json)['execution_id'])}/rerun`, { parameters: complete }],
      [`/jobs/${id}/trigger`, { parameters: complete }],
    ] as const) {
      expect((await send('POST', path, body)).headers.get('x-notice')).toBeNull();
    }
  });

  it('of a job has its rendered prompt, the parameters that are missing, and every reason why it would fail', async () => {
    const agent = await create('/agents', { name: 'worker' });
    const job = await create('/jobs', {
      ...{ name: 'nightly', trigger_type: 'manual', prompt_template: 'Hello {{ who }}, {{ what }}', entity_id: agent },
      ...{ planning_mode: 'predefined_agent', system_prompt: 'Be kind.' },
    });
    const before = await rows();
    const previewed = await preview(`/jobs/${job}`, { parameters: { who: 'Ada' } });
    expect(previewed).toMatchObject({
      prompt: 'Hello Ada, {{ what }}',
      system_prompt: 'Be kind.',
      missing_parameters: ['what'],
      queue: { name: 'default', reason: 'default' },
    });
    expect(await rows()).toEqual(before);
    const broken = await create('/jobs', {
      ...{ name: 'broken', trigger_type: 'manual', prompt_template: 'Go', entity_id: 'nobody' },
      ...{ planning_mode: 'predefined_agent', enabled: false },
    });
    expect(await preview(`/jobs/${broken}`)).toMatchObject({
      queue: null,
      problems: [expect.stringContaining('disabled'), 'There is no agent nobody'],
    });
  });

  it('is refused like the start for a queue or a runnable that does not exist, and for an invalid body', async () => {
    const agent = await create('/agents', { name: 'queued' });
    const path = `/agents/${agent}`;
    for (const [target, body] of [
      [`${path}/preview`, { prompt: 'Go', worker_queue_id: 'nowhere' }],
      ['/agents/nobody/preview', { prompt: 'Go' }],
      [`${path}/preview`, {}],
    ] as const) {
      const [previewed, started] = [
        await send('POST', target, body),
        await send('POST', target.replace('preview', 'execute'), body),
      ];
      expect([previewed.status, previewed.body]).toEqual([started.status, started.body]);
      expect(previewed.status).toBeGreaterThanOrEqual(400);
    }
  });
});
