import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { PlatformApi } from '../platform-api/platform-api.js';
import { Contract, type ApiName, type Operation } from '../support/contract.js';
import { call, type HttpResponse } from '../support/http.js';
import { Platform } from '../support/platform.js';

const PUBLIC_URL = 'https://control-plane.example';
const PUBLIC_PLATFORM_API_URL = 'https://platform-api.example';

/** An API, and the one with which callers confuse it. */
interface Side {
  readonly api: ApiName;
  readonly scheme: string;
  readonly other: ApiName;
  /** The end of the text for a route of the other API. */
  readonly advice: string;
}

const SIDES: readonly Side[] = [
  {
    api: 'control-plane',
    scheme: 'Bearer',
    other: 'platform-api',
    advice: `the platform API at ${PUBLIC_PLATFORM_API_URL}: send it there, with \`Authorization: UserKey <API key>\``,
  },
  {
    api: 'platform-api',
    scheme: 'UserKey',
    other: 'control-plane',
    advice: `the control plane at ${PUBLIC_URL}: send it there, with \`Authorization: Bearer <API key>\``,
  },
];

const shapeOf = ({ method, path }: Operation): string => `${method} ${path.replaceAll(/\{\w+\}/g, '{}')}`;

function routesThatLack({ api, other }: Side): Operation[] {
  const present = new Set(Contract.of(api).operations.map(shapeOf));
  return Contract.of(other).operations.filter((operation) => !present.has(shapeOf(operation)));
}

const textOf = ({ body }: HttpResponse): unknown => {
  const { detail, details } = body as { detail?: unknown; details?: unknown };
  return detail ?? details;
};

describe('a request to the wrong one of the two servers', () => {
  let platform: Platform;
  let urls: Readonly<Record<ApiName, string>>;

  beforeAll(async () => {
    platform = await Platform.start({ platformApi: true, env: { PUBLIC_URL, PUBLIC_PLATFORM_API_URL } });
    urls = { 'control-plane': platform.url, 'platform-api': platform.platformApi?.url ?? '' };
  });
  afterAll(() => platform.stop());

  it.each(SIDES)('for a route that the $api lacks is 404, and names the other server', async (side) => {
    const routes = routesThatLack(side);
    expect(routes.length).toBeGreaterThan(10);
    for (const { method, path } of routes) {
      const url = `${urls[side.api]}${path.replaceAll(/\{\w+\}/g, 'secret-in-the-path')}?from=query`;
      const { scheme } = side;
      const response = await call(method, url, { scheme, key: platform.adminKey, unchecked: true });
      expect([path, response.status, response.headers.get('x-error-code')]).toEqual([path, 404, 'route_not_found']);
      const route = `${method.toUpperCase()} ${path}`;
      expect(textOf(response)).toBe(`${route} is a route of ${side.advice}`);
    }
  });

  it.each(SIDES)('for a route that neither has is a plain 404 of the $api', async ({ api, scheme }) => {
    for (const path of ['/api/v1/nothing', '/api/v1/jobs/a/b/c/d', '/', '/api/v1/tasks/a/b']) {
      const response = await call('GET', urls[api] + path, { scheme, key: platform.adminKey, unchecked: true });
      expect([path, response.status, textOf(response)]).toEqual([path, 404, 'Not Found']);
    }
  });

  it('with the scheme of the control plane is 401, and names the scheme of the platform API', async () => {
    const response = await call('GET', `${urls['platform-api']}/api/v1/tasks`, { key: platform.adminKey });
    expect([response.status, response.headers.get('www-authenticate')]).toEqual([401, 'UserKey']);
    expect(textOf(response)).toBe(
      `Send \`Authorization: UserKey <API key>\`: Bearer is the scheme of the control plane at ${PUBLIC_URL}`,
    );
  });

  it('can be avoided: the client configuration contains the address of the platform API', async () => {
    const { body } = await call('GET', `${platform.url}/api/v1/client/config`, { key: platform.adminKey });
    expect(body).toMatchObject({ control_plane_url: PUBLIC_URL, platform_api_url: PUBLIC_PLATFORM_API_URL });
  });
});

describe('an address that a person enters in a browser', () => {
  let platform: Platform;

  beforeAll(async () => {
    platform = await Platform.shared();
  });
  afterAll(() => platform.stop());

  it('leads to the documentation page of the server, and is 404 for programs', async () => {
    const accept = 'text/html,application/xhtml+xml';
    const platformUrl = new PlatformApi(platform).url;
    const addresses = [
      `${platformUrl}/`,
      ...[platform.url, platformUrl].flatMap((url) => [`${url}/docs`, `${url}/api/?a=b`]),
    ];
    for (const url of addresses) {
      const page = await fetch(url, { headers: { accept }, redirect: 'manual' });
      expect([url, page.status, page.headers.get('location')]).toEqual([url, 302, '/api/docs']);
      const followed = await fetch(url, { headers: { accept } });
      expect([followed.status, await followed.text()]).toEqual([200, expect.stringContaining('swagger-ui')]);
      expect((await call('GET', url, { unchecked: true })).status).toBe(404);
      expect((await fetch(url, { method: 'POST', headers: { accept } })).status).toBe(404);
    }
  });
});

describe('a request to the wrong server whose addresses are not configured', () => {
  let platform: Platform;

  beforeAll(async () => {
    platform = await Platform.shared();
  });
  afterAll(() => platform.stop());

  it('names the other server without an address', async () => {
    const { url } = new PlatformApi(platform);
    expect(textOf(await call('GET', `${url}/api/v1/tasks`, { key: platform.adminKey }))).toBe(
      'Send `Authorization: UserKey <API key>`: Bearer is the scheme of the control plane',
    );
    expect(textOf(await call('GET', `${url}/api/v1/jobs`, { unchecked: true }))).toBe(
      'GET /api/v1/jobs is a route of the control plane: send it there, with `Authorization: Bearer <API key>`',
    );
    expect(textOf(await call('GET', `${platform.url}/api/v1/tasks`, { unchecked: true }))).toBe(
      'GET /api/v1/tasks is a route of the platform API: send it there, with `Authorization: UserKey <API key>`',
    );
    const { body } = await call('GET', `${platform.url}/api/v1/client/config`, { key: platform.adminKey });
    expect(body).toMatchObject({ platform_api_url: null });
  });
});
