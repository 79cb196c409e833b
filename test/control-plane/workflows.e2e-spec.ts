import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { unwrap, type ControlPlaneClient, type ControlPlaneComponents } from '@app/api-client';
import { call, type HttpResponse } from '../support/http.js';
import { Platform } from '../support/platform.js';
import { answerOf, at, refusalOf } from '../support/typed-client.js';

type Json = Record<string, unknown>;
type Schemas = ControlPlaneComponents['schemas'];
type Create = Schemas['CreateWorkflowRequest'];

describe('workflows over HTTP', () => {
  let platform: Platform;
  let api: ControlPlaneClient;
  let agentId: string;

  beforeAll(async () => {
    platform = await Platform.shared();
    api = platform.client();
    ({ id: agentId } = await unwrap(api.POST('/api/v1/agents', { body: { name: 'writer' } })));
  });

  afterAll(() => platform.stop());

  /** Sends bodies that the types of the client forbid. */
  const send = (method: string, path: string, body: unknown): Promise<HttpResponse> =>
    call(method, `${platform.url}/api/v1/workflows${path}`, { key: platform.adminKey, body });

  const create = (body: Create) => api.POST('/api/v1/workflows', { body });
  const ofWorkflow = (idOrName: string) => at({ workflow_id: idOrName });

  const faultsOf = ({ status, body }: HttpResponse): unknown => [
    status,
    (body as { detail: { loc: string[]; type: string }[] }).detail.map(({ loc, type }) => [loc.join('.'), type]),
  ];

  /** Every field of every type of step, an unknown one included, in an unusual order. */
  const steps = (): NonNullable<Create['steps']> => [
    { type: 'prompt', name: 'outline', prompt: 'Outline {{ params.topic }} ', model_id: '', note: { z: 1, a: [null] } },
    {
      name: 'draft',
      type: 'agent',
      agent_id: 'writer',
      prompt: 'Write: {{steps.outline.output}}',
      retry: { max_attempts: 2, delay_seconds: 0 },
      timeout_seconds: 60,
    },
    {
      name: 'publish-it',
      type: 'tool',
      tool: { server: 'web', name: 'post', arguments: { text: '{{ steps.draft.output }}', to: ['{{params.site}}'] } },
      depends_on: ['draft'],
      when: [
        { step: 'draft', not_equals: '' },
        { step: 'draft', matches: '^#' },
      ],
    },
    { name: 'again', type: 'agent', agent_id: agentId, prompt: null, depends_on: null, when: null },
  ];

  it('are created, read by id and name, updated and deleted, and returned exactly as sent', async () => {
    const fields = { name: 'Release notes ', description: 'd', configuration: { z: 1, a: {} }, team_id: 'a-team' };
    // Clients may send the fields of a response back.
    const body = { ...fields, steps: steps(), status: 'archived', version: 7 };
    const created = await answerOf(create(body));
    expect(created.status).toBe(201);
    expect(created.headers.get('x-ignored-fields')).toBe('status, version, steps.0.note');
    expect(created.body).toEqual({
      ...fields,
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      organization_id: expect.any(String),
      status: 'active',
      steps: steps(),
      version: 1,
      created_by: expect.any(String),
      updated_by: expect.any(String),
      created_at: expect.any(String),
      updated_at: expect.any(String),
    });
    const { id } = created.body as { id: string };
    for (const idOrName of [id, 'Release notes ']) {
      const read = await unwrap(api.GET('/api/v1/workflows/{workflow_id}', ofWorkflow(idOrName)));
      expect(JSON.stringify(read)).toBe(JSON.stringify(created.body));
    }
    const changes: Schemas['UpdateWorkflowRequest'] = {
      name: '',
      description: '',
      team_id: '',
      steps: [],
      configuration: null,
      status: 'inactive',
    };
    const updated = await unwrap(
      api.PATCH('/api/v1/workflows/{workflow_id}', at({ workflow_id: id }, { body: changes })),
    );
    expect(updated).toEqual({
      ...(created.body as Json),
      description: null,
      team_id: null,
      status: 'inactive',
      steps: [],
      configuration: {},
      version: 2,
      updated_at: expect.any(String),
    });
    const versions = await unwrap(api.GET('/api/v1/workflows/{workflow_id}/versions', ofWorkflow('Release notes ')));
    const [newest, oldest] = versions;
    const first = at({ workflow_id: id, version: '1' });
    const read = await unwrap(api.GET('/api/v1/workflows/{workflow_id}/versions/{version}', first));
    expect([newest?.version, oldest]).toEqual([2, read]);
    expect(JSON.stringify(oldest?.steps)).toBe(JSON.stringify(steps()));
    const query = { params: { query: { status: 'inactive' } } } as const;
    expect(await unwrap(api.GET('/api/v1/workflows', query))).toEqual([updated]);
    const deleted = await answerOf(api.DELETE('/api/v1/workflows/{workflow_id}', ofWorkflow(id)));
    expect(deleted).toMatchObject({ status: 204, body: undefined });
    for (const request of [
      api.GET('/api/v1/workflows/{workflow_id}', ofWorkflow(id)),
      api.GET('/api/v1/workflows/{workflow_id}/versions', ofWorkflow(id)),
      api.GET('/api/v1/workflows/{workflow_id}/versions/{version}', first),
    ]) {
      expect((await answerOf(request)).status).toBe(404);
    }
  });

  it('have null, {} and [] for omitted fields and for "" or null', async () => {
    const empty = { description: '', steps: null, configuration: '', team_id: null };
    for (const body of [{ name: 'bare' }, { name: 'bare with empty values', ...empty }]) {
      expect(await unwrap(create(body as Create))).toMatchObject({
        description: null,
        steps: [],
        configuration: {},
        team_id: null,
        version: 1,
      });
    }
    expect(await refusalOf(create({ name: 'bare' }))).toEqual([409, 'workflow_name_taken']);
  });

  it('are rejected with all faults of all steps at once', async () => {
    const wrong = [
      { name: 'a', type: 'prompt', prompt: 'x', depends_on: ['b', 'missing'] },
      { name: 'b', type: 'agent', prompt: '{{ steps.a.output }}', timeout_seconds: 0 },
      { name: '1', type: 'sql', retry: { max_attempts: 'x' }, tool: { server: 7 } },
      { type: 'team', team_id: 't', depends_on: 'a' },
      'step',
    ];
    expect(faultsOf(await send('POST', '', { name: 7, steps: wrong }))).toEqual([
      422,
      expect.arrayContaining([
        ['body.name', 'string_type'],
        ['body.steps.1.timeout_seconds', 'greater_than_equal'],
        ['body.steps.2.name', 'string_pattern_mismatch'],
        ['body.steps.2.type', 'enum'],
        ['body.steps.2.retry.max_attempts', 'int_type'],
        ['body.steps.2.tool.server', 'string_type'],
        ['body.steps.3.name', 'missing'],
        ['body.steps.3.depends_on', 'list_type'],
        ['body.steps.4', 'dict_type'],
        ['body.steps.1.agent_id', 'missing'],
        ['body.steps.0.depends_on.1', 'value_error'],
        ['body.steps.0.depends_on.0', 'value_error'],
      ]),
    ]);
  });

  it('are rejected if a step runs an agent that does not exist, on creation and update', async () => {
    const steps: Create['steps'] = [{ name: 'a', type: 'agent', agent_id: 'nobody' }];
    const fault = [422, [['body.steps.0.agent_id', 'value_error']]];
    expect(faultsOf(await answerOf(create({ name: 'no agent', steps })))).toEqual(fault);
    await unwrap(create({ name: 'no agent' }));
    const update = at({ workflow_id: 'no agent' }, { body: { steps } });
    expect(faultsOf(await answerOf(api.PATCH('/api/v1/workflows/{workflow_id}', update)))).toEqual(fault);
  });

  it('have at most 500 steps, and are checked in time that grows with their size', async () => {
    const chain = (size: number): Json[] =>
      Array.from({ length: size }, (_step, index) => ({
        name: `s${index}`,
        type: 'prompt',
        prompt: 'p',
        depends_on: index === 0 ? [] : [`s${index - 1}`],
      }));
    expect((await send('POST', '', { name: 'long', steps: chain(500) })).status).toBe(201);
    expect(faultsOf(await send('POST', '', { name: 'too long', steps: chain(501) }))).toEqual([
      422,
      [['body.steps', 'too_long']],
    ]);
    const prompt = '{{a}}'.repeat(190_000);
    const many = await send('POST', '', { name: 'many', steps: [{ name: 'a', type: 'prompt', prompt }] });
    expect(many.status).toBe(422);
  });
});
