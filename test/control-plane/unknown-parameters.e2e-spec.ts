import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Contract, type ApiName } from '../support/contract.js';
import { call, type HttpResponse } from '../support/http.js';
import { Platform } from '../support/platform.js';
import { TenantFixture } from '../support/tenant-fixture.js';

type Json = Record<string, unknown>;

const APIS: readonly ApiName[] = ['control-plane', 'platform-api'];

describe('query parameters', () => {
  let platform: Platform;
  let tenant: TenantFixture;

  beforeAll(async () => {
    platform = await Platform.shared();
    tenant = await TenantFixture.create(platform, (await platform.createOrganization('queried')).adminKey);
  });

  afterAll(() => platform.stop());

  function get(api: ApiName, path: string): Promise<HttpResponse> {
    const [url, scheme] =
      api === 'platform-api' ? [platform.platformApi?.url ?? '', 'UserKey'] : [platform.url, 'Bearer'];
    return call('GET', url + path, { key: tenant.key, scheme });
  }

  it('that a route does not know are named in X-Ignored-Fields, like unknown fields', async () => {
    const ignored = async (path: string): Promise<string | null> =>
      (await get('control-plane', path)).headers.get('x-ignored-fields');
    expect(await ignored('/api/v1/agents?nmae=x&limit=1&odd=1&odd=2')).toBe('nmae, odd');
    expect(await ignored(tenant.path('/api/v1/agents/{agent_id}?expand=all'))).toBe('expand');
    expect(await ignored('/api/v1/agents?limit=1&name=x&total=false')).toBeNull();
    expect(await ignored(tenant.path('/api/v1/jobs/{job_id}'))).toBeNull();
    const body = { name: 'j', odd: 1 };
    const url = `${platform.url}/api/v1/agents?dry_run=true`;
    const created = await call('POST', url, { key: tenant.key, body });
    expect(created.headers.get('x-ignored-fields')).toBe('dry_run, odd');
  });

  const lists = APIS.flatMap((api) => {
    const contract = Contract.of(api);
    return contract.operations
      .filter(({ method, parameters }) => method === 'GET' && parameters.some(({ name }) => name === 'name'))
      .map(({ path }) => ({ api, path }));
  });

  it('`name` is one of each list of resources with names', () => {
    expect(lists.map(({ api, path }) => `${api} ${path}`).toSorted()).toEqual([
      'control-plane /api/v1/agents',
      'control-plane /api/v1/environments',
      'control-plane /api/v1/environments/{environment_id}/worker-queues',
      'control-plane /api/v1/integrations',
      'control-plane /api/v1/jobs',
      'control-plane /api/v1/knowledge',
      'control-plane /api/v1/policies',
      'control-plane /api/v1/projects',
      'control-plane /api/v1/runners',
      'control-plane /api/v1/secrets',
      'control-plane /api/v1/skills',
      'control-plane /api/v1/teams',
      'control-plane /api/v1/worker-queue-load',
      'control-plane /api/v1/worker-queues',
      'control-plane /api/v1/workflows',
      'platform-api /api/v1/agents',
      'platform-api /api/v1/auth/keys',
      'platform-api /api/v1/tasks',
      'platform-api /api/v1/users',
      'platform-api /api/v1/workflows',
    ]);
  });

  it.each(lists)('`name` selects the resources with this name: $api $path', async ({ api, path }) => {
    const read = async (query: string): Promise<Json[]> => {
      const { body } = await get(api, `${tenant.path(path)}${query}`);
      return Array.isArray(body) ? (body as Json[]) : (Object.values(body as Json).find(Array.isArray) as Json[]);
    };
    const all = await read('');
    const nameOf = (one: Json | undefined): unknown => one?.['name'] ?? one?.['queue_name'];
    const name = String(nameOf(all[0]));
    const expected = all.filter((one) => nameOf(one) === name);
    expect(expected.length).toBeGreaterThan(0);
    expect(await read(`?name=${encodeURIComponent(name)}`)).toHaveLength(expected.length);
    expect(await read(`?name=${encodeURIComponent(`${name} `)}`)).toEqual([]);
  });
});
