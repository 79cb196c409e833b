import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { call, type HttpResponse } from '../support/http.js';
import { Platform } from '../support/platform.js';

type Json = Record<string, unknown>;

const url = 'http://127.0.0.1:9/hooks';

describe('webhooks over HTTP', () => {
  let platform: Platform;

  beforeAll(async () => {
    platform = await Platform.shared();
  });

  afterAll(() => platform.stop());

  const send = (method: string, path: string, body?: unknown): Promise<HttpResponse> =>
    call(method, `${platform.url}/api/v1/webhooks${path}`, { key: platform.adminKey, body });

  const create = async (body: Json): Promise<Json> => (await send('POST', '', body)).body as Json;

  it('return their secret on creation and rotation only', async () => {
    const created = await create({ url });
    expect(created['secret']).toMatch(/^whsec_/);
    const path = `/${String(created['id'])}`;
    const rotated = (await send('POST', `${path}/rotate`, { overlap_seconds: 60 })).body as Json;
    expect(rotated['secret']).toMatch(/^whsec_/);
    expect(rotated['secret']).not.toBe(created['secret']);
    expect(rotated['previous_secret_expires_at']).toEqual(expect.any(String));
    const answers = [await send('GET', path), await send('GET', ''), await send('PATCH', path, { events: ['done'] })];
    for (const { status, body } of answers) {
      expect(status).toBe(200);
      expect(JSON.stringify(body)).not.toContain('whsec_');
    }
  });

  it.each([
    ['http://10.0.0.1/', 'a private address'],
    ['http://169.254.169.254/latest/meta-data', 'the metadata address'],
    ['http://[::1]:8080/', 'loopback'],
    ['https://no-such-host.invalid/', 'no address'],
    ['ftp://1.1.1.1/', 'another protocol'],
    ['https://user:password@1.1.1.1/', 'credentials'],
    ['not a url', 'no URL'],
  ])('reject the URL %s: %s', async (wrong) => {
    const { status, body } = await send('POST', '', { url: wrong });
    expect([status, (body as { detail: Json[] }).detail.map(({ loc }) => loc)]).toEqual([422, [['body', 'url']]]);
  });

  it('require a URL and check every field', async () => {
    const { status, body } = await send('POST', '', { events: 'done', status: 'sleeping' });
    expect(status).toBe(422);
    expect((body as { detail: Json[] }).detail.map(({ loc, type }) => [loc, type])).toEqual(
      expect.arrayContaining([
        [['body', 'url'], 'missing'],
        [['body', 'events'], 'list_type'],
        [['body', 'status'], 'enum'],
      ]),
    );
  });

  it('are listed by status', async () => {
    const disabled = await create({ url, status: 'DISABLED' });
    const listed = (await send('GET', '?status=disabled')).body as Json[];
    expect(listed.map(({ id, status }) => [id, status])).toEqual([[disabled['id'], 'disabled']]);
  });
});
