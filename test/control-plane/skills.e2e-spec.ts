import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { call, type HttpResponse } from '../support/http.js';
import { Platform } from '../support/platform.js';

type Json = Record<string, unknown>;

describe('skills over HTTP', () => {
  let platform: Platform;

  beforeAll(async () => {
    platform = await Platform.start();
  });

  afterAll(() => platform.stop());

  const send = (method: string, path: string, body?: unknown): Promise<HttpResponse> =>
    call(method, `${platform.url}/api/v1${path}`, { key: platform.adminKey, body });

  async function post(path: string, body: Json): Promise<Json> {
    const created = await send('POST', path, body);
    expect(created.status).toBe(201);
    return created.body as Json;
  }

  it('are created, read, updated and deleted with an exact echo of minimal, full and empty bodies', async () => {
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
    const bodies: [Json, Json][] = [
      [full, { ...full, ...answered }],
      [{ name: 'bare' }, { name: 'bare', ...bare }],
      [
        { name: 'empty', ...empty },
        { name: 'empty', ...bare },
      ],
    ];
    for (const [sent, expected] of bodies) {
      const created = await post('/skills', { ...sent, id: 'mine', organization_id: 'o' });
      expect(created).toEqual(expected);
      const path = `/skills/${created['id']}`;
      expect((await send('GET', path)).body).toEqual(created);
      for (const method of ['PATCH', 'PUT']) {
        const changes = { name: '', description: '', type: null, configuration: { by: method } };
        const changed = await send(method, path, changes);
        expect(changed.body).toEqual({
          ...{ ...created, description: null, configuration: { by: method } },
          updated_at: expect.any(String),
        });
      }
      expect(await send('DELETE', path)).toMatchObject({ status: 200, body: { id: created['id'], deleted: true } });
      for (const method of ['GET', 'PATCH', 'PUT', 'DELETE']) {
        expect((await send(method, path, method === 'GET' ? undefined : {})).status).toBe(404);
      }
    }
    const rejected = await send('POST', '/skills', { type: 7, configuration: [] });
    expect(rejected.status).toBe(422);
    const faults = (rejected.body as { detail: { loc: string[]; type: string }[] }).detail;
    expect(faults.map(({ loc, type }) => `${loc.join('.')}: ${type}`).sort()).toEqual([
      'body.configuration: dict_type',
      'body.name: missing',
      'body.type: string_type',
    ]);
  });

  it('are listed newest first, by type; their definitions say what each type is', async () => {
    const older = await post('/skills', { name: 'older', type: 'listed' });
    const newer = await post('/skills', { name: 'newer', type: 'listed' });
    const listed = await send('GET', '/skills?type=listed&limit=1');
    expect(listed.body).toEqual([newer]);
    expect(listed.headers.get('x-total-count')).toBe('2');
    expect((await send('GET', '/skills?type=listed&skip=1')).body).toEqual([older]);
    const definitions = (await send('GET', '/skills/definitions')).body as Json[];
    const types = definitions.map(({ type }) => type);
    expect(types).toEqual(['file_system', 'shell', 'docker', 'python', 'file_generation', 'custom', 'mcp']);
    expect(definitions.at(-1)).toMatchObject({ configuration_schema: { type: 'object' } });
  });

  it('are the same set in `skill_ids`, in `skills` and in the associations of an entity', async () => {
    const one = await post('/skills', { name: 'one', configuration: { level: 1 } });
    const two = await post('/skills', { name: 'two' });
    const summary = ({ id, name, type, description, icon, enabled }: Json): Json => {
      return { id, name, type, description, icon, enabled };
    };
    for (const kind of ['agent', 'team', 'environment']) {
      const entity = await post(`/${kind}s`, { name: `with-skills-${kind}` });
      const associations = `/skills/associations/${kind}s/${entity['id']}/skills`;
      expect(entity).toMatchObject({ skill_ids: [], skills: [] });
      const added = await post(associations, { skill_id: two['id'] });
      expect(added).toEqual({
        ...two,
        ...{ entity_type: kind, entity_id: entity['id'], skill_id: two['id'], configuration_override: {} },
        associated_at: expect.any(String),
      });
      const override = { level: 2 };
      await post(`/skills/associations/${kind}/${entity['id']}/skills`, {
        ...{ skill_id: one['id'], configuration_override: override },
      });
      const read = (await send('GET', `/${kind}s/${entity['id']}`)).body;
      expect(read).toMatchObject({ skill_ids: [two['id'], one['id']], skills: [summary(two), summary(one)] });
      expect((await send('GET', associations)).body).toMatchObject([
        { id: two['id'] },
        { id: one['id'], configuration: { level: 1 }, configuration_override: override },
      ]);
      expect((await send('POST', associations, { skill_id: one['id'] })).status).toBe(409);
      expect((await send('DELETE', `${associations}/${two['id']}`)).status).toBe(204);
      expect((await send('GET', `/${kind}s/${entity['id']}`)).body).toMatchObject({ skill_ids: [one['id']] });
      const refused = await send('DELETE', `/skills/${one['id']}`);
      expect(refused.status).toBe(409);
      expect((refused.body as Json)['detail']).toContain(`${kind} with-skills-${kind} (${entity['id']})`);
      await send('DELETE', `/${kind}s/${entity['id']}`);
    }
    expect((await send('DELETE', `/skills/${one['id']}`)).status).toBe(200);
  });

  it('are written with an agent or a team; an unknown id is rejected by its index', async () => {
    const { id } = await post('/skills', { name: 'written' });
    for (const kind of ['agents', 'teams']) {
      const created = await post(`/${kind}`, { name: 'able', skill_ids: [id] });
      expect(created).toMatchObject({ skill_ids: [id], skills: [{ id }] });
      const path = `/${kind}/${created['id']}`;
      const rejected = await send('PATCH', path, { name: 'changed', skill_ids: [id, 'gone'] });
      expect(rejected.status).toBe(422);
      expect(rejected.body).toEqual({
        detail: [{ loc: ['body', 'skill_ids', '1'], msg: 'Skill not found', type: 'value_error' }],
      });
      expect((await send('GET', path)).body).toEqual(created);
      expect((await send('PATCH', path, { skill_ids: null })).body).toMatchObject({ skill_ids: [id] });
      expect((await send('PATCH', path, { skill_ids: [] })).body).toMatchObject({ skill_ids: [], skills: [] });
      expect((await send('POST', `/${kind}`, { name: 'x', skill_ids: ['gone'] })).status).toBe(422);
    }
  });
});
