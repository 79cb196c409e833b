import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createPlatformApiClient, unwrap } from '@app/api-client';
import { call } from '../support/http.js';
import { Platform } from '../support/platform.js';
import { PlatformApi } from './platform-api.js';

const WORKFLOWS = '/api/v1/workflows';

describe('workflows of the platform API', () => {
  let platform: Platform;
  let admin: PlatformApi;

  beforeAll(async () => {
    platform = await Platform.shared();
    admin = new PlatformApi(platform);
    await call('POST', `${platform.url}/api/v1/agents`, { key: platform.adminKey, body: { name: 'writer' } });
  });

  afterAll(() => platform.stop());

  const onControlPlane = async (path: string): Promise<unknown> =>
    (await call('GET', `${platform.url}/api/v1/workflows/${path}`, { key: platform.adminKey })).body;

  it('are created, read by id and name, listed, updated and deleted, as the control plane shows them', async () => {
    const client = createPlatformApiClient({ baseUrl: admin.url, apiKey: admin.key, retries: null });
    const steps = [
      { type: 'prompt' as const, name: 'outline', prompt: ' Outline {{ params.topic }}', note: { z: 1, a: [null] } },
      { name: 'draft', type: 'agent' as const, agent_id: 'writer', prompt: '{{steps.outline.output}}', model_id: '' },
    ];
    const body = { name: 'Brief ', description: ' d', steps, configuration: { z: 1, a: {} }, team_id: 'a-team' };
    const created = await unwrap(client.POST('/api/v1/workflows', { body }));
    expect(created).toMatchObject({ ...body, status: 'active', version: 1, id: expect.any(String) });
    expect(JSON.stringify(created.steps)).toBe(JSON.stringify(steps));
    expect(await onControlPlane(created.id)).toEqual(created);
    for (const id of [created.id, 'Brief '])
      expect(await unwrap(client.GET('/api/v1/workflows/{id}', { params: { path: { id } } }))).toEqual(created);
    const params = { path: { id: 'Brief ' } };
    const change = { name: 'Briefing', steps: [], description: '', status: 'inactive' as const };
    const updated = await unwrap(client.PATCH('/api/v1/workflows/{id}', { params, body: change }));
    expect(updated).toEqual({
      ...created,
      ...change,
      description: null,
      version: 2,
      updated_at: expect.any(String),
    });
    for (const [query, found] of [
      [{ status: 'inactive' as const }, [updated]],
      [{ status: 'archived' as const }, []],
    ] as const)
      expect(await unwrap(client.GET('/api/v1/workflows', { params: { query } }))).toEqual(found);
    const deleted = await admin.call('DELETE', `${WORKFLOWS}/Briefing`);
    expect({ status: deleted.status, body: deleted.body }).toEqual({ status: 204, body: undefined });
    expect(await admin.call('GET', `${WORKFLOWS}/${created.id}`)).toMatchObject({
      status: 404,
      body: { errorCode: 'NOT_FOUND', details: 'Workflow not found' },
    });
  });

  it('are rejected with every fault in the error body of this API', async () => {
    const steps = [
      { name: 'a', type: 'prompt', prompt: 'p', depends_on: ['b', 'missing'], timeout_seconds: 0 },
      { name: 'b', type: 'prompt', prompt: '{{steps.a.output}}' },
      { name: '1', type: 'agent', agent_id: 'nobody' },
    ];
    const refused = await admin.expect(422, 'POST', WORKFLOWS, { name: 7, steps });
    expect(refused).toMatchObject({ errorCode: 'VALIDATION_ERROR', status: 422 });
    for (const place of [
      'name',
      'steps.0.depends_on.0',
      'steps.0.depends_on.1',
      'steps.0.timeout_seconds',
      'steps.2.name',
    ])
      expect(refused['details']).toContain(`body.${place}: `);
    const missing = { name: 'x', steps: [{ name: 'a', type: 'agent', agent_id: 'nobody' }] };
    expect(await admin.expect(422, 'POST', WORKFLOWS, missing)).toMatchObject({
      details: 'body.steps.0.agent_id: There is no agent nobody',
    });
    await admin.expect(201, 'POST', WORKFLOWS, { name: 'taken' });
    expect(await admin.expect(409, 'POST', WORKFLOWS, { name: 'taken' })).toMatchObject({ errorCode: 'CONFLICT' });
  });

  it('are read with workflows:read and changed with workflows:manage', async () => {
    const { id } = await admin.expect(201, 'POST', WORKFLOWS, { name: 'guarded' });
    const reader = await admin.withScopes('workflows:read');
    await reader.expect(200, 'GET', `${WORKFLOWS}/${id}`);
    for (const [method, path] of [
      ['POST', WORKFLOWS],
      ['PATCH', `${WORKFLOWS}/${id}`],
      ['DELETE', `${WORKFLOWS}/${id}`],
    ] as const) {
      const refused = await reader.expect(403, method, path, method === 'DELETE' ? undefined : { name: 'mine' });
      expect(refused).toMatchObject({
        errorCode: 'INSUFFICIENT_SCOPE',
        details: expect.stringContaining('workflows:manage'),
      });
    }
    const manager = await admin.withScopes('workflows:manage');
    await manager.expect(403, 'GET', WORKFLOWS);
    await manager.expect(200, 'PATCH', `${WORKFLOWS}/${id}`, { description: 'mine' });
  });
});
