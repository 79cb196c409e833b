import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { unwrap, type ControlPlaneClient, type ControlPlaneComponents } from '@app/api-client';
import { call } from '../support/http.js';
import { Platform } from '../support/platform.js';
import { answerOf, at, refusalOf } from '../support/typed-client.js';

type Schemas = ControlPlaneComponents['schemas'];
type Skill = Schemas['SkillResponse'];

const ASSOCIATIONS = '/api/v1/skills/associations/{entity_type}/{entity_id}/skills';

describe('skills over HTTP', () => {
  let platform: Platform;
  let api: ControlPlaneClient;

  beforeAll(async () => {
    platform = await Platform.shared();
    api = platform.client();
  });

  afterAll(() => platform.stop());

  const post = (body: Schemas['CreateSkillRequest']): Promise<Skill> => unwrap(api.POST('/api/v1/skills', { body }));
  const ofSkill = ({ id }: { id: string }) => at({ skill_id: id });

  it('are created, read, updated and deleted; minimal, full and empty bodies are returned exactly as sent', async () => {
    const full = {
      name: 'Tracker ',
      type: 'own_type',
      description: ' d\n',
      icon: '🔧',
      enabled: false,
      configuration: { z: { y: 1 }, a: null },
    };
    const answered = {
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      organization_id: expect.any(String),
      created_at: expect.any(String),
      updated_at: expect.any(String),
    };
    const bare = { type: 'custom', description: null, icon: null, enabled: true, configuration: {}, ...answered };
    const empty = { type: '', description: '', icon: null, enabled: null, configuration: null };
    const bodies: [Schemas['CreateSkillRequest'], object][] = [
      [full, { ...full, ...answered }],
      [{ name: 'bare' }, { name: 'bare', ...bare }],
      [
        { name: 'empty', ...empty },
        { name: 'empty', ...bare },
      ],
    ];
    for (const [sent, expected] of bodies) {
      const created = await post(sent);
      expect(created).toEqual(expected);
      const id = ofSkill(created);
      expect(await unwrap(api.GET('/api/v1/skills/{skill_id}', id))).toEqual(created);
      const changes = { ...id, body: { name: '', description: '', type: null, configuration: { by: 'update' } } };
      for (const update of [
        () => api.PATCH('/api/v1/skills/{skill_id}', changes),
        () => api.PUT('/api/v1/skills/{skill_id}', changes),
      ]) {
        expect(await unwrap(update())).toEqual({
          ...created,
          description: null,
          configuration: { by: 'update' },
          updated_at: expect.any(String),
        });
      }
      const deleted = await unwrap(api.DELETE('/api/v1/skills/{skill_id}', id));
      expect(deleted).toEqual({ id: created.id, deleted: true });
      for (const missing of [
        api.GET('/api/v1/skills/{skill_id}', id),
        api.PATCH('/api/v1/skills/{skill_id}', { ...id, body: {} }),
        api.PUT('/api/v1/skills/{skill_id}', { ...id, body: {} }),
        api.DELETE('/api/v1/skills/{skill_id}', id),
      ]) {
        expect(await refusalOf(missing)).toEqual([404, 'skill_not_found']);
      }
    }
  });

  it('report every fault, and ignore fields that only the platform sets', async () => {
    // The types of the client allow none of these bodies.
    const send = (body: unknown) => call('POST', `${platform.url}/api/v1/skills`, { key: platform.adminKey, body });
    const rejected = await send({ type: 7, configuration: [] });
    expect(rejected.status).toBe(422);
    const faults = (rejected.body as { detail: { loc: string[]; type: string }[] }).detail;
    expect(faults.map(({ loc, type }) => `${loc.join('.')}: ${type}`).sort()).toEqual([
      'body.configuration: dict_type',
      'body.name: missing',
      'body.type: string_type',
    ]);
    const created = (await send({ name: 'own', id: 'mine', organization_id: 'o' })).body;
    expect(created).toMatchObject({
      id: expect.not.stringMatching('mine'),
      organization_id: expect.not.stringMatching(/^o$/),
    });
  });

  it('are listed newest first and by type; the definitions describe each type', async () => {
    const older = await post({ name: 'older', type: 'listed' });
    const newer = await post({ name: 'newer', type: 'listed' });
    const query = { type: 'listed' };
    const listed = await answerOf(api.GET('/api/v1/skills', { params: { query: { ...query, limit: 1 } } }));
    expect(listed.body).toEqual([newer]);
    expect(listed.headers.get('x-total-count')).toBe('2');
    expect(await unwrap(api.GET('/api/v1/skills', { params: { query: { ...query, skip: 1 } } }))).toEqual([older]);
    const definitions = await unwrap(api.GET('/api/v1/skills/definitions'));
    const types = definitions.map(({ type }) => type);
    expect(types).toEqual(['file_system', 'shell', 'docker', 'python', 'file_generation', 'custom', 'mcp']);
    expect(definitions.at(-1)).toMatchObject({ configuration_schema: { type: 'object' } });
  });

  /** How each kind of entity with skills is created, read and deleted. */
  const holders = {
    agent: {
      create: () => unwrap(api.POST('/api/v1/agents', { body: { name: 'with-skills-agent' } })),
      read: (agent_id: string) => unwrap(api.GET('/api/v1/agents/{agent_id}', at({ agent_id }))),
      remove: (agent_id: string) => unwrap(api.DELETE('/api/v1/agents/{agent_id}', at({ agent_id }))),
    },
    team: {
      create: () => unwrap(api.POST('/api/v1/teams', { body: { name: 'with-skills-team' } })),
      read: (team_id: string) => unwrap(api.GET('/api/v1/teams/{team_id}', at({ team_id }))),
      remove: (team_id: string) => unwrap(api.DELETE('/api/v1/teams/{team_id}', at({ team_id }))),
    },
    environment: {
      create: () => unwrap(api.POST('/api/v1/environments', { body: { name: 'with-skills-environment' } })),
      read: (environment_id: string) =>
        unwrap(api.GET('/api/v1/environments/{environment_id}', at({ environment_id }))),
      remove: (environment_id: string) =>
        unwrap(api.DELETE('/api/v1/environments/{environment_id}', at({ environment_id }))),
    },
  };

  it.each(['agent', 'team', 'environment'] as const)(
    'are the same set in `skill_ids`, in `skills` and in the associations of an entity: %s',
    async (kind) => {
      const one = await post({ name: 'one', configuration: { level: 1 } });
      const two = await post({ name: 'two' });
      const summary = ({ id, name, type, description, icon, enabled }: Skill): object => {
        return { id, name, type, description, icon, enabled };
      };
      const { create, read, remove } = holders[kind];
      const entity = await create();
      const associations = at({ entity_type: `${kind}s`, entity_id: entity.id });
      expect(entity).toMatchObject({ skill_ids: [], skills: [] });
      expect(await unwrap(api.POST(ASSOCIATIONS, { ...associations, body: { skill_id: two.id } }))).toEqual({
        ...two,
        entity_type: kind,
        entity_id: entity.id,
        skill_id: two.id,
        configuration_override: {},
        associated_at: expect.any(String),
      });
      const override = { level: 2 };
      const body = { skill_id: one.id, configuration_override: override };
      await unwrap(api.POST(ASSOCIATIONS, at({ entity_type: kind, entity_id: entity.id }, { body })));
      expect(await read(entity.id)).toMatchObject({
        skill_ids: [two.id, one.id],
        skills: [summary(two), summary(one)],
      });
      expect(await unwrap(api.GET(ASSOCIATIONS, associations))).toMatchObject([
        { id: two.id },
        { id: one.id, configuration: { level: 1 }, configuration_override: override },
      ]);
      const again = api.POST(ASSOCIATIONS, { ...associations, body: { skill_id: one.id } });
      expect(await refusalOf(again)).toEqual([409, 'skill_associated']);
      const path = { entity_type: `${kind}s`, entity_id: entity.id, skill_id: two.id };
      await unwrap(api.DELETE(`${ASSOCIATIONS}/{skill_id}`, at(path)));
      expect(await read(entity.id)).toMatchObject({ skill_ids: [one.id] });
      const refused = await answerOf(api.DELETE('/api/v1/skills/{skill_id}', ofSkill(one)));
      expect(refused.status).toBe(409);
      expect((refused.body as { detail: string }).detail).toContain(`${kind} with-skills-${kind} (${entity.id})`);
      await remove(entity.id);
      await unwrap(api.DELETE('/api/v1/skills/{skill_id}', ofSkill(one)));
    },
  );

  const writers = {
    agent: {
      create: (body: Schemas['CreateAgentRequest']) => api.POST('/api/v1/agents', { body }),
      read: (agent_id: string) => api.GET('/api/v1/agents/{agent_id}', at({ agent_id })),
      update: (agent_id: string, body: Schemas['UpdateAgentRequest']) =>
        api.PATCH('/api/v1/agents/{agent_id}', at({ agent_id }, { body })),
    },
    team: {
      create: (body: Schemas['CreateTeamRequest']) => api.POST('/api/v1/teams', { body }),
      read: (team_id: string) => api.GET('/api/v1/teams/{team_id}', at({ team_id })),
      update: (team_id: string, body: Schemas['UpdateTeamRequest']) =>
        api.PATCH('/api/v1/teams/{team_id}', at({ team_id }, { body })),
    },
  };

  it.each(['agent', 'team'] as const)(
    'are written with an entity; an unknown id is rejected with its index: %s',
    async (kind) => {
      const { id: skill } = await post({ name: 'written' });
      const { create, read, update } = writers[kind];
      const created = (await answerOf(create({ name: 'able', skill_ids: [skill] }))).body as { id: string };
      expect(created).toMatchObject({ skill_ids: [skill], skills: [{ id: skill }] });
      expect(await answerOf(update(created.id, { name: 'changed', skill_ids: [skill, 'gone'] }))).toMatchObject({
        status: 422,
        body: { detail: [{ loc: ['body', 'skill_ids', '1'], msg: 'Skill not found', type: 'value_error' }] },
      });
      expect((await answerOf(read(created.id))).body).toEqual(created);
      expect((await answerOf(update(created.id, { skill_ids: '' as never }))).body).toMatchObject({
        skill_ids: [skill],
      });
      expect((await answerOf(update(created.id, { skill_ids: null }))).body).toMatchObject({
        skill_ids: [],
        skills: [],
      });
      expect((await answerOf(create({ name: 'x', skill_ids: ['gone'] }))).status).toBe(422);
    },
  );
});
