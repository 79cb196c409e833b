import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { call, type HttpResponse } from '../support/http.js';
import { Contract, type ApiName, type Operation } from '../support/contract.js';
import { Platform } from '../support/platform.js';
import { TenantFixture } from '../support/tenant-fixture.js';

interface Route extends Operation {
  readonly api: ApiName;
}

const APIS: readonly ApiName[] = ['control-plane', 'platform-api'];
const parametersOf = ({ parameters }: Operation): string[] => parameters.map(({ name }) => name);
/** A route with a limit but without a cursor or `skip` returns only its first rows. */
const POSITIONS = new Set(['skip', 'page', 'offset', 'cursor']);
const hasPages = (names: readonly string[]): boolean =>
  names.includes('limit') && names.some((name) => POSITIONS.has(name));
/** Every route with pages. */
const lists: readonly [string, Route][] = APIS.flatMap((api) =>
  Contract.of(api)
    .operations.filter((route) => route.method === 'GET' && hasPages(parametersOf(route)))
    .map((route): [string, Route] => [`${api} ${route.path}`, { ...route, api }]),
);

/** The documented array of a route and its headers; undefined if it returns no bare array. */
function documentedArray(
  route: Route,
): { readonly maxItems: unknown; readonly headers: readonly string[] } | undefined {
  const { content, headers = {} } = Contract.of(route.api).responseOf(route, 200) ?? {};
  const schema = content?.['application/json']?.schema;
  return schema?.['type'] === 'array' ? { maxItems: schema['maxItems'], headers: Object.keys(headers) } : undefined;
}

/** Every route that returns a bare array without pages. */
const wholeLists: readonly [string, Route][] = APIS.flatMap((api) =>
  Contract.of(api)
    .operations.filter((route) => route.method === 'GET' && !hasPages(parametersOf(route)))
    .map((route): [string, Route] => [`${api} ${route.path}`, { ...route, api }])
    .filter(([, route]) => documentedArray(route) !== undefined),
);

describe('every list', () => {
  let platform: Platform;
  let tenant: TenantFixture;

  beforeAll(async () => {
    platform = await Platform.shared();
    tenant = await TenantFixture.create(platform, (await platform.createOrganization('pages')).adminKey);
    for (const name of ['second', 'third']) {
      await call('POST', `${platform.url}/api/v1/agents`, { key: tenant.key, body: { name } });
    }
  });

  afterAll(() => platform.stop());

  function list({ api, path }: Route, query = ''): Promise<HttpResponse> {
    const [url, scheme] =
      api === 'platform-api' ? [platform.platformApi?.url ?? '', 'UserKey'] : [platform.url, 'Bearer'];
    return call('GET', `${url}${tenant.path(path)}${query && `?${query}`}`, { scheme, key: tenant.key });
  }

  /** The cursor of a response, from the header or from the body. */
  function nextCursorOf({ headers, body }: HttpResponse): string | null {
    const next = headers.get('x-next-cursor');
    if (!Array.isArray(body)) expect((body as { next_cursor: unknown }).next_cursor).toBe(next);
    return next;
  }

  /** The rows of a response. The load of queues is measured anew for each response, at the time `at`. */
  function rowsOf(body: unknown, { path }: Route): unknown[] {
    const rows = Array.isArray(body) ? body : Object.values(body as object).find((value) => Array.isArray(value));
    if (!path.endsWith('/worker-queue-load')) return rows as unknown[];
    return (rows as object[]).map((row) => ({ ...row, at: null }));
  }

  function expectCursorFault({ status, body }: HttpResponse, { api }: Route): void {
    expect(status).toBe(422);
    if (api === 'platform-api')
      expect(body).toMatchObject({ details: expect.stringMatching(/^query\.cursor: [^;]+$/) });
    else expect(body).toMatchObject({ detail: [{ loc: ['query', 'cursor'] }] });
  }

  it('is found in the documents', () => {
    expect(lists.length).toBeGreaterThan(20);
  });

  it.each(lists)('can be continued by a cursor, one row at a time: %s', async (_title, route) => {
    expect(parametersOf(route)).toContain('cursor');
    const whole = await list(route, 'limit=100');
    expect(nextCursorOf(whole)).toBeNull();
    const walked: unknown[] = [];
    for (let query = 'limit=1'; query !== '';) {
      const page = await list(route, query);
      expect(page.status).toBe(200);
      walked.push(...rowsOf(page.body, route));
      const next = nextCursorOf(page);
      query = next === null ? '' : `limit=1&cursor=${next}`;
    }
    expect(walked).toEqual(rowsOf(whole.body, route));
  });

  it.each(lists)('rejects a damaged cursor, or one sent with `skip`, `offset` or `page`: %s', async (_title, route) => {
    expectCursorFault(await list(route, 'cursor=damaged'), route);
    const position = ['skip', 'offset', 'page'].find((name) => parametersOf(route).includes(name));
    if (position === undefined) return;
    expectCursorFault(await list(route, `cursor=x&${position}=1`), route);
  });

  it.each(wholeLists)('without pages documents its maximum length, and no cursor: %s', async (_title, route) => {
    const documented = documentedArray(route);
    expect(documented?.maxItems).toBeGreaterThan(0);
    expect(documented?.headers).toContain('X-Total-Count');
    expect(documented?.headers).not.toContain('X-Next-Cursor');
    const answered = await list(route);
    if (answered.status === 307) return;
    expect(answered.headers.get('x-total-count')).toBe(String((answered.body as unknown[]).length));
    expect(answered.headers.get('x-next-cursor')).toBeNull();
  });

  it.each(lists)('is not counted with total=false: %s', async (_title, route) => {
    if (!parametersOf(route).includes('total')) return;
    expect((await list(route, 'limit=1')).headers.get('x-total-count')).toMatch(/^\d+$/);
    expect((await list(route, 'limit=1&total=false')).headers.get('x-total-count')).toBeNull();
  });
});
