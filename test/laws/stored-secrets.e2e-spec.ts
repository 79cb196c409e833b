import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { KeyScope } from '@app/kernel';
import { PlatformApi } from '../platform-api/platform-api.js';
import { Contract, type ApiName, type Operation, type Schema } from '../support/contract.js';
import { call, type HttpResponse } from '../support/http.js';
import { Platform } from '../support/platform.js';
import { TenantFixture } from '../support/tenant-fixture.js';

const READ_SCOPES = [
  ...(['agents:read', 'tasks:read', 'workflows:read', 'knowledge:read'] as const),
  ...(['runners:read', 'integrations:read', 'webhooks:manage'] as const),
] satisfies KeyScope[];
/** The scopes that write resources with secret values. */
const WRITE_SCOPES = ['agents:write', 'runners:manage', 'tasks:execute', 'integrations:write'] as const;
type WriteScope = (typeof WRITE_SCOPES)[number];

/** Starts each planted value; the rest of the value names the scope that writes its resource. */
const MARK = 'planted-secret';

/** A resource with secret values. */
interface Planted {
  /** Route of the resource, which PATCH updates. */
  readonly path: string;
  readonly scope: WriteScope;
  readonly field: string;
  readonly value: object;
  /** The same value with a hidden one under a name of which none is stored, and the location of the fault. */
  readonly unknown: readonly [object, readonly string[]];
}

const PLANTED: readonly Planted[] = [
  ...planted('/api/v1/environments/{environment_id}', 'runners:manage'),
  ...planted('/api/v1/agents/{agent_id}', 'agents:write'),
  ...planted('/api/v1/teams/{team_id}', 'agents:write'),
  ...planted('/api/v1/jobs/{job_id}', 'tasks:execute'),
  ...planted('/api/v1/projects/{project_id}', 'agents:write').map((one) => ({
    ...one,
    field: 'settings',
    value: { [one.field]: one.value },
    unknown: [{ [one.field]: one.unknown[0] }, ['settings', ...one.unknown[1]]] as const,
  })),
  {
    path: '/api/v1/skills/{skill_id}',
    scope: 'agents:write',
    field: 'configuration',
    value: mcpServer('agents:write', 'skill'),
    unknown: [{ env: { NEW: '***' } }, ['configuration', 'env', 'NEW']],
  },
  {
    path: '/api/v1/integrations/{integration_id}',
    scope: 'integrations:write',
    field: 'configuration',
    value: {
      host: mark('integrations:write', 'host'),
      env_vars: { INTEGRATION_TOKEN: mark('integrations:write', 'variable') },
      mcp_servers: { remote: mcpServer('integrations:write', 'server') },
      hosts: [mark('integrations:write', 'item')],
    },
    unknown: [{ port: '***' }, ['configuration', 'port']],
  },
];

function planted(path: string, scope: WriteScope): Planted[] {
  const name = path.split('/').at(-2) ?? '';
  const token = `${name.toUpperCase()}_TOKEN`;
  const value = {
    env_vars: { [token]: mark(scope, name), PLAIN: '***' },
    secrets: [token],
    mcp_servers: { [name]: mcpServer(scope, name) },
  };
  const unknown = { env_vars: { NEW: '***' }, secrets: ['NEW'] };
  const field = 'execution_environment';
  return [{ path, scope, field, value, unknown: [unknown, [field, 'env_vars', 'NEW']] }];
}

function mcpServer(scope: WriteScope, name: string): object {
  const headers = { Authorization: mark(scope, `${name}-header`) };
  return { url: 'http://127.0.0.1:9', headers, env: { KEY: mark(scope, `${name}-env`) } };
}

function mark(scope: WriteScope, place: string): string {
  return `${MARK}:${scope}:${place}.`;
}

/** Returns the planted values in a response. */
function marksIn(body: unknown): string[] {
  return (JSON.stringify(body) ?? '').match(new RegExp(`${MARK}:[^.]*\\.`, 'g')) ?? [];
}

describe('the secret values of resources', () => {
  let platform: Platform;
  let tenant: TenantFixture;
  let minter: PlatformApi;

  beforeAll(async () => {
    platform = await Platform.shared();
    tenant = await TenantFixture.create(platform, (await platform.createOrganization('secretive')).adminKey);
    minter = new PlatformApi(platform, tenant.key);
    for (const { path, field, value } of PLANTED) {
      expect((await send('PATCH', path, tenant.key, { [field]: value })).status).toBe(200);
    }
    const second = await send('POST', '/api/v1/skills', tenant.key, { name: 'overridden' });
    const skill_id = (second.body as { id: string }).id;
    const configuration_override = mcpServer('agents:write', 'override');
    const skills = '/api/v1/skills/associations/{entity_type}/{entity_id}/skills';
    const added = await send('POST', skills, tenant.key, { skill_id, configuration_override });
    expect([added.status, marksIn(added.body)]).toEqual([201, marksIn(configuration_override)]);
    const refused = await send('POST', skills, tenant.key, { skill_id, configuration_override: { env: { A: '***' } } });
    expect(locationsOf(refused)).toEqual([['body', 'configuration_override', 'env', 'A']]);
  });
  afterAll(() => platform.stop());

  async function keyWith(...scopes: readonly KeyScope[]): Promise<string> {
    return (await minter.withScopes(...scopes)).key;
  }

  async function send(method: string, path: string, key: string, body?: object): Promise<HttpResponse> {
    return call(method, platform.url + tenant.path(path), { key, ...(body === undefined ? {} : { body }) });
  }

  /** Returns the distinct planted values that all GET routes of both APIs return to a key. */
  async function seenBy(key: string): Promise<string[]> {
    const seen = new Set<string>();
    for (const api of ['control-plane', 'platform-api'] as const) {
      for (const operation of readsOf(api)) {
        const [url, scheme] =
          api === 'platform-api' ? [platform.platformApi?.url ?? '', 'UserKey'] : [platform.url, 'Bearer'];
        const query = operation.path === '/api/v1/search' ? '?q=t' : '';
        const { body } = await call('GET', url + tenant.path(operation.path) + query, { key, scheme });
        for (const one of marksIn(body)) seen.add(one);
      }
    }
    return [...seen].sort();
  }

  it('are planted in every resource with an execution environment or the configuration of an integration', () => {
    const holding = Contract.of('control-plane').operations.filter(
      ({ method, body }) => method === 'PATCH' && holdsEnvironment(body),
    );
    const covered = PLANTED.map(({ path }) => path).filter((path) => path !== '/api/v1/skills/{skill_id}');
    expect(holding.map(({ path }) => path).sort()).toEqual(covered.sort());
  });

  it('are returned to no key that only reads', async () => {
    expect(await seenBy(await keyWith(...READ_SCOPES))).toEqual([]);
  });

  it.each(WRITE_SCOPES)('are returned to a key with %s only of the resources that this scope writes', async (scope) => {
    const own = PLANTED.filter((one) => one.scope === scope).flatMap(({ value }) => marksIn(value));
    const overrides = scope === 'agents:write' ? marksIn(mcpServer(scope, 'override')) : [];
    const seen = await seenBy(await keyWith(...READ_SCOPES, scope));
    expect(seen).toEqual([...new Set([...own, ...overrides])].sort());
  });

  it.each(PLANTED)(
    'of $path are returned as sent to keys that write it, and kept by an update with `***`',
    async (one) => {
      const { path, field, value, scope } = one;
      const [reader, writer] = [await keyWith(...READ_SCOPES), await keyWith(...READ_SCOPES, 'agents:write', scope)];
      const read = async (key: string): Promise<unknown> => {
        const { body } = await send('GET', path, key);
        return (body as Record<string, unknown>)[field];
      };
      const hidden = JSON.parse(JSON.stringify(value, (_name, item: unknown) => hide(item))) as unknown;
      expect(JSON.stringify(await read(reader))).toBe(JSON.stringify(withoutAddress(hidden, one)));
      expect(JSON.stringify(await read(writer))).toBe(JSON.stringify(value));
      const updated = await send('PATCH', path, writer, { [field]: await read(reader) });
      expect([updated.status, (updated.body as Record<string, unknown>)[field]]).toEqual([200, value]);
      expect(await read(writer)).toEqual(value);
      const [unknown, location] = one.unknown;
      expect(locationsOf(await send('PATCH', path, writer, { [field]: unknown }))).toEqual([['body', ...location]]);
      expect(await read(writer)).toEqual(value);
    },
  );

  it('cannot be created or requested as `***`', async () => {
    const execution_environment = { env_vars: { TOKEN: '***' }, secrets: ['TOKEN'] };
    const requests: [string, object][] = [
      ['/api/v1/environments', { name: 'hidden', execution_environment }],
      ['/api/v1/agents', { name: 'a', execution_environment }],
      ['/api/v1/teams', { name: 't', execution_environment }],
      ['/api/v1/agents/{agent_id}/execute', { prompt: 'p', execution_environment }],
      ['/api/v1/jobs', { name: 'j', trigger_type: 'manual', ...work(), execution_environment }],
      ['/api/v1/projects', { name: 'p', key: 'hidden', settings: { execution_environment } }],
      ['/api/v1/skills', { name: 's', configuration: { headers: { TOKEN: '***' } } }],
      ['/api/v1/integrations', { name: 'i', type: 't', configuration: { token: '***' } }],
    ];
    for (const [path, body] of requests) {
      const [location = []] = locationsOf(await send('POST', path, tenant.key, body));
      expect([path, location[0], String(location.at(-1)).toUpperCase()]).toEqual([path, 'body', 'TOKEN']);
    }
  });

  function work(): object {
    return { entity_type: 'agent', entity_id: tenant.id('agent_id'), prompt_template: 'p' };
  }

  it('are in the lease of a worker, whose key may not write agents', async () => {
    const worker = await keyWith('runners:manage', 'tasks:execute');
    const [lease] = (await send('POST', '/api/v1/workers/{worker_id}/poll', worker, { wait_seconds: 0 })).body as [
      Record<string, unknown>,
    ];
    const ofAgent = marksIn(PLANTED.find(({ path }) => path.includes('agent_id'))?.value);
    const { agent, environment, mcp_servers, skills } = lease;
    expect(marksIn(agent)).toEqual(ofAgent);
    expect([...marksIn(environment), ...marksIn(mcp_servers)]).toEqual(expect.arrayContaining(ofAgent));
    expect(marksIn(skills).length).toBeGreaterThan(0);
  });
});

function hide(item: unknown): unknown {
  return typeof item === 'string' && item.startsWith(MARK) ? '***' : item;
}

/** All values of an integration are hidden, addresses too. */
function withoutAddress(hidden: unknown, { scope }: Planted): unknown {
  if (scope !== 'integrations:write') return hidden;
  return JSON.parse(JSON.stringify(hidden).replaceAll('"http://127.0.0.1:9"', '"***"')) as unknown;
}

function locationsOf({ status, body }: HttpResponse): (readonly string[])[] {
  expect(status).toBe(422);
  return (body as { detail: { loc: string[] }[] }).detail.map(({ loc }) => loc);
}

function readsOf(api: ApiName): readonly Operation[] {
  return Contract.of(api).operations.filter(
    ({ method, path, scope }) => method === 'GET' && scope !== 'none' && !path.endsWith('/stream'),
  );
}

const HOLDERS = ['ExecutionEnvironment', 'IntegrationConfiguration'];

/** Returns whether a schema has one of the objects with secret values, at any depth. */
function holdsEnvironment(schema: Schema | undefined, seen: readonly string[] = []): boolean {
  if (schema === undefined) return false;
  return Object.values(schema).some((value) => {
    if (typeof value === 'string' && value.startsWith('#/components/schemas/')) {
      const name = value.split('/').at(-1) ?? '';
      if (HOLDERS.includes(name)) return true;
      return (
        !seen.includes(name) && holdsEnvironment(Contract.of('control-plane').resolve({ $ref: value }), [...seen, name])
      );
    }
    return typeof value === 'object' && value !== null && holdsEnvironment(value as Schema, seen);
  });
}
