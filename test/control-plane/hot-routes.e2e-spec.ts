import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { RequestMethod, type DynamicModule, type Type } from '@nestjs/common';
import { ControlPlaneModule } from '../../apps/control-plane/src/app.module.js';
import { call, type HttpResponse, type CallOptions } from '../support/http.js';
import { CONSOLE_ORIGIN as PAGE, Platform } from '../support/platform.js';
import { TenantFixture } from '../support/tenant-fixture.js';

interface HotRoute {
  readonly method: 'POST' | 'PATCH';
  readonly path: string;
  /** The path parameter or body field with the id of the requested resource. */
  readonly names: string;
  readonly valid: object;
  readonly broken: object;
  /** Statuses for a resource of another organization, an unknown id and an id with NUL. */
  readonly foreign: number;
  readonly unknown: number;
  readonly nul: number;
}

const UNKNOWN_ID = '01900000-0000-7000-8000-000000000000';
const NUL = 'a\u0000b';

const ROUTES: readonly HotRoute[] = [
  {
    method: 'POST',
    path: 'executions/{execution_id}/events',
    names: 'execution_id',
    valid: { event_type: 'message', data: { content: 'hello' } },
    broken: { event_type: 1, data: 'x', fields: [] },
    foreign: 404,
    unknown: 404,
    nul: 404,
  },
  {
    method: 'PATCH',
    path: 'executions/{execution_id}',
    names: 'execution_id',
    valid: { usage: { prompt_tokens: 1 } },
    broken: { status: 'undecided', usage: 3 },
    foreign: 404,
    unknown: 404,
    nul: 404,
  },
  {
    method: 'POST',
    path: 'workers/heartbeat',
    names: 'worker_id',
    valid: { status: 'idle' },
    broken: { status: 'undecided', worker_metadata: [] },
    foreign: 404,
    unknown: 404,
    nul: 422,
  },
  {
    method: 'POST',
    path: 'workers/{worker_id}/heartbeat',
    names: 'worker_id',
    valid: { status: 'idle' },
    broken: { status: 'undecided', worker_metadata: [] },
    foreign: 404,
    unknown: 404,
    nul: 422,
  },
  {
    method: 'POST',
    path: 'workers/{worker_id}/poll',
    names: 'worker_id',
    valid: { max: 1, wait_seconds: 0 },
    broken: { max: 0, wait_seconds: 'long' },
    foreign: 404,
    unknown: 404,
    nul: 422,
  },
  {
    method: 'POST',
    path: 'workers/{worker_id}/reports',
    names: 'worker_id',
    valid: { reports: [{ execution_id: 'unknown', lease_token: 'stale', update: { status: 'running' } }] },
    broken: { reports: 'none' },
    foreign: 404,
    unknown: 404,
    nul: 422,
  },
  {
    method: 'POST',
    path: 'jobs/{job_id}/trigger',
    names: 'job_id',
    valid: { parameters: {} },
    broken: { parameters: 'none' },
    foreign: 404,
    unknown: 404,
    nul: 404,
  },
];

/** Headers that depend on the time or the connection. */
const OWN = new Set(['date', 'connection', 'keep-alive']);
const MOMENTS = /\d{4}-\d\d-\d\dT[\d:.]+Z/g;
const IDS = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}(_\d+_\d+)?/g;

/** The visible part of a response, without the headers that differ between two equal requests. */
function visible({ status, headers, body }: HttpResponse): object {
  const text = JSON.stringify(body ?? null).replaceAll(MOMENTS, '<moment>');
  const compared = [...headers].filter(([name]) => !OWN.has(name));
  return {
    status,
    headers: Object.fromEntries(compared),
    body: JSON.parse(status < 300 ? text.replaceAll(IDS, '<id>') : text),
  };
}

/** Returns `METHOD path` of every route with `@HotRoute()` in a module and its imports. */
function hotRoutesOf(module: Type | DynamicModule): string[] {
  const isDynamic = 'module' in module;
  const type = isDynamic ? module.module : module;
  const listed = (key: 'imports' | 'controllers'): Type[] => [
    ...((Reflect.getMetadata(key, type) ?? []) as Type[]),
    ...((isDynamic ? (module[key] ?? []) : []) as Type[]),
  ];
  const hot = listed('controllers').flatMap((controller) =>
    Object.values(Object.getOwnPropertyDescriptors(controller.prototype as object)).flatMap(({ value }) => {
      if (typeof value !== 'function' || Reflect.getMetadata('route:hot', value as object) !== true) return [];
      const [base, path] = [controller, value as object].map((part) => Reflect.getMetadata('path', part) as string);
      const method = RequestMethod[Reflect.getMetadata('method', value as object) as RequestMethod];
      return [`${method} ${`${base}/${path}`.replace(/\/$/, '').replaceAll(/:(\w+)/g, '{$1}')}`];
    }),
  );
  return [...hot, ...listed('imports').flatMap(hotRoutesOf)];
}

describe('a hot route', () => {
  let platform: Platform;
  let own: TenantFixture;
  let foreign: TenantFixture;
  let weakKey: string;

  beforeAll(async () => {
    platform = await Platform.shared();
    own = await TenantFixture.create(platform, platform.adminKey);
    foreign = await TenantFixture.create(platform, (await platform.createOrganization('other')).adminKey);
    const minted = await call('POST', `${platform.platformApi?.url ?? ''}/api/v1/auth/keys`, {
      key: own.key,
      scheme: 'UserKey',
      body: { name: 'weak', scopes: ['agents:read'] },
    });
    weakKey = (minted.body as { key: string }).key;
    // Takes waiting work, so that polls return nothing on either path.
    const poll = `${platform.url}/api/v1/workers/${own.id('worker_id')}/poll`;
    await call('POST', poll, { key: own.key, body: { max: 10, wait_seconds: 0 } });
  });
  afterAll(() => platform.stop());

  /** Returns the request for this id, which is in the body if the path has no parameter for it. */
  function about({ path, names }: HotRoute, id: string, body: object): { url: string; body: object } {
    const inPath = path.includes(`{${names}}`);
    const filled = path.replace(`{${names}}`, encodeURIComponent(id));
    return { url: `${platform.url}/api/v1/${filled}`, body: inPath ? body : { ...body, [names]: id } };
  }

  /** Sends the request on both paths. A content encoding, even `identity`, selects the ordinary path. */
  async function onBothPaths(
    method: string,
    url: string,
    options: CallOptions,
  ): Promise<readonly [HttpResponse, HttpResponse]> {
    const headers = { 'X-Request-Id': 'the-same', ...options.headers };
    return [
      await call(method, url, { ...options, headers }),
      await call(method, url, { ...options, headers: { ...headers, 'Content-Encoding': 'identity' } }),
    ];
  }

  it('has a valid request in ROUTES, which lists no other route', () => {
    const known = ROUTES.map(({ method, path }) => `${method} api/v1/${path}`);
    // Two modules may import the same one.
    expect([...new Set(hotRoutesOf(ControlPlaneModule))].toSorted()).toEqual(known.toSorted());
  });

  type Case = (route: HotRoute) => { readonly status: number; readonly url: string; readonly options: CallOptions };
  const withKey = (route: HotRoute, id: string, status: number): ReturnType<Case> => {
    const { url, body } = about(route, id, route.valid);
    return { status, url, options: { key: own.key, body } };
  };
  const ofOwn = (route: HotRoute, status: number, change: (body: object) => CallOptions): ReturnType<Case> => {
    const { url, body } = about(route, own.id(route.names), route.valid);
    return { status, url, options: { key: own.key, ...change(body) } };
  };
  const tooBig = JSON.stringify({ text: 'x'.repeat(1_048_576) });

  const CASES: readonly (readonly [string, Case])[] = [
    ['a valid request', (route) => ofOwn(route, 200, (body) => ({ body }))],
    ['a valid request of a web page', (route) => ofOwn(route, 200, (body) => ({ body, headers: { Origin: PAGE } }))],
    ['a broken body', (route) => ofOwn(route, 422, (body) => ({ body: { ...body, ...route.broken } }))],
    ['a body that is a list', (route) => ofOwn(route, 422, () => ({ body: [] }))],
    [
      'a text with NUL in the body',
      (route) => ofOwn(route, 422, (body) => ({ body: { ...body, status: NUL, x: NUL } })),
    ],
    ['malformed JSON', (route) => ofOwn(route, 422, () => ({ raw: '{"a":' }))],
    ['JSON that is not UTF-8', (route) => ofOwn(route, 422, () => ({ raw: Uint8Array.of(0x22, 0xff, 0x22) }))],
    [
      'another content type',
      (route) =>
        ofOwn(route, 415, () => ({ raw: 'a=b', headers: { 'Content-Type': 'application/x-www-form-urlencoded' } })),
    ],
    [
      'another charset',
      (route) =>
        ofOwn(route, 415, () => ({ raw: '{}', headers: { 'Content-Type': 'application/json; charset=utf-16' } })),
    ],
    ['too large a body', (route) => ofOwn(route, 413, () => ({ raw: tooBig }))],
    ["another organization's id", (route) => withKey(route, foreign.id(route.names), route.foreign)],
    ['an unknown id', (route) => withKey(route, UNKNOWN_ID, route.unknown)],
    ['an id with NUL', (route) => withKey(route, NUL, route.nul)],
    [
      'an id with NUL and a broken body',
      (route) => ({ ...withKey(route, NUL, 422), options: { key: own.key, body: route.broken } }),
    ],
    ['no key', (route) => ofOwn(route, 401, (body) => ({ body, key: '' }))],
    ['no key and too large a body', (route) => ofOwn(route, 401, () => ({ raw: tooBig, key: '' }))],
    ['an unknown key', (route) => ofOwn(route, 401, (body) => ({ body, key: 'ak_unknown' }))],
    ['a key without the scope', (route) => ofOwn(route, 403, (body) => ({ body, key: weakKey }))],
    ['a key without the scope and malformed JSON', (route) => ofOwn(route, 403, () => ({ raw: '{', key: weakKey }))],
  ];

  describe.each(ROUTES.map((route) => [`${route.method} ${route.path}`, route] as const))('%s', (_name, route) => {
    it.each(CASES)('returns the same response on both paths for %s', async (_what, make) => {
      const { status, url, options } = make(route);
      const [fast, ordinary] = await onBothPaths(route.method, url, options);
      expect(fast.status).toBe(status);
      expect(visible(fast)).toEqual(visible(ordinary));
      expect([...fast.headers.keys()]).toEqual(
        expect.arrayContaining(['content-security-policy', 'strict-transport-security', 'x-request-id']),
      );
    });
  });

  it.each<[string, string, object, object]>([
    ['a trigger', 'jobs/{job_id}/trigger', { parameters: {} }, { parameters: { name: 'another' } }],
    ['an event', 'executions/{execution_id}/events', { event_type: 'once' }, { event_type: 'another' }],
  ])('replays %s on the other path', async (_what, path, body, another) => {
    const url = `${platform.url}/api/v1/${own.path(path)}`;
    const headers = { 'Idempotency-Key': 'both paths' };
    const [fast, ordinary] = await onBothPaths('POST', url, { key: own.key, body, headers });
    expect([fast.status, ordinary.status]).toEqual([200, 200]);
    expect(ordinary.body).toEqual(fast.body);
    expect(ordinary.headers.get('Idempotent-Replayed')).toBe('true');
    for (const options of [
      { key: own.key, body, headers },
      { key: own.key, body: another, headers },
      { key: own.key, body: [], headers: { 'Idempotency-Key': 'x'.repeat(256) } },
    ]) {
      const [again, other] = await onBothPaths('POST', url, options);
      expect(visible(again)).toEqual(visible(other));
    }
  });
});
