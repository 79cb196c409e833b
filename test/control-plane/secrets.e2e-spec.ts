import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { call, type HttpResponse } from '../support/http.js';
import { Platform } from '../support/platform.js';
import { recordSecret } from '../support/run-record.js';

type Json = Record<string, unknown>;

const VALUE = 'hunter2-and-further-characters';

describe('secrets and integrations over HTTP', () => {
  let platform: Platform;

  beforeAll(async () => {
    platform = await Platform.start();
    recordSecret(VALUE);
  });

  afterAll(() => platform.stop());

  const send = (
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<HttpResponse> => call(method, `${platform.url}/api/v1${path}`, { key: platform.adminKey, body, headers });

  const codeOf = ({ status, headers }: HttpResponse): unknown[] => [status, headers.get('x-error-code')];
  const times = { created_at: expect.any(String), updated_at: expect.any(String) };

  describe('secrets', () => {
    const described = (name: string): Json => ({
      ...{ name, organization_id: expect.any(String), ...times },
      ...{ created_by: expect.any(String), updated_by: expect.any(String) },
    });

    it('are stored, replaced, listed and deleted; no answer contains a value', async () => {
      const created = await send('POST', '/secrets', { name: 'FIRST', value: VALUE });
      expect([created.status, created.body]).toEqual([201, described('FIRST')]);
      expect(codeOf(await send('POST', '/secrets', { name: 'FIRST', value: VALUE }))).toEqual([
        409,
        'secret_name_taken',
      ]);
      const replaced = await send('PUT', '/secrets/FIRST', { value: `${VALUE}!` });
      expect([replaced.status, replaced.body]).toEqual([200, described('FIRST')]);
      expect((await send('GET', '/secrets/FIRST')).body).toEqual(replaced.body);
      expect((await send('GET', '/secrets')).body).toEqual([replaced.body]);
      expect(await send('DELETE', '/secrets/FIRST')).toMatchObject({ status: 204, body: undefined });
      for (const [method, body] of [['GET'], ['DELETE'], ['PUT', { value: VALUE }]] as const) {
        expect(codeOf(await send(method, '/secrets/FIRST', body))).toEqual([404, 'secret_not_found']);
      }
      for (const body of [
        { name: 'a b', value: VALUE },
        { name: 'SECOND' },
        { name: '', value: '' },
        { name: 1, value: [VALUE] },
      ]) {
        const refused = await send('POST', '/secrets', body);
        expect(refused.status).toBe(422);
        expect(JSON.stringify(refused.body)).not.toContain(VALUE);
      }
    });

    it('are created once per idempotency key, under which nothing can be guessed', async () => {
      const key = { 'Idempotency-Key': 'a-secret' };
      const body = { name: 'ONCE', value: VALUE };
      const first = await send('POST', '/secrets', body, key);
      expect(await send('POST', '/secrets', body, key)).toMatchObject({ status: 201, body: first.body });
      expect((await send('POST', '/secrets', { ...body, value: 'another' }, key)).status).toBe(422);
      const [stored] = await platform.sql<{ digest: string }>("SELECT * FROM idempotency_keys WHERE key = 'a-secret'");
      const guess = createHash('sha256').update('POST /api/v1/secrets\n').update(JSON.stringify(body)).digest('hex');
      expect(JSON.stringify(stored)).not.toContain(guess);
      expect(JSON.stringify(stored)).not.toContain(VALUE);
    });

    it('need a key of the platform', async () => {
      const { url } = await platform.startControlPlane({ SECRETS_KEY: '' });
      const refused = await call('POST', `${url}/api/v1/secrets`, {
        key: platform.adminKey,
        body: { name: 'KEYLESS', value: VALUE },
      });
      expect([...codeOf(refused), refused.body]).toEqual([
        ...[503, 'secrets_key_missing'],
        { detail: 'The platform has no key for secrets: its operator must set SECRETS_KEY' },
      ]);
    });
  });

  describe('runs', () => {
    const start = async (execution_environment: Json): Promise<string> => {
      const agent = (await send('POST', '/agents', { name: 'a', execution_environment })).body as Json;
      const started = await send('POST', `/agents/${agent['id']}/execute`, { prompt: 'Go' });
      return String((started.body as Json)['execution_id']);
    };

    it('get values in their lease and nowhere else, and fail with the name of what is missing', async () => {
      await send('POST', '/secrets', { name: 'LEASED', value: VALUE });
      const configuration = { env_vars: { PASSWORD: 'secret:LEASED', HOST: 'mail' } };
      const integration = await send('POST', '/integrations', { name: 'leased', type: 'smtp', configuration });
      const { id: integrationId } = integration.body as Json;
      const id = await start({ env_vars: { HOST: 'none' }, integration_ids: [integrationId] });
      const { worker_id: worker } = (await send('POST', '/workers/register', {})).body as Json;
      const poll = (): Promise<HttpResponse> => send('POST', `/workers/${worker}/poll`, { wait_seconds: 5 });
      const [lease] = (await poll()).body as Json[];
      expect(lease).toMatchObject({
        execution: { id },
        environment: { PASSWORD: VALUE, HOST: 'mail' },
        secrets: ['PASSWORD'],
      });
      const { environment: _values, ...others } = lease ?? {};
      expect(JSON.stringify([others, (await send('GET', `/executions/${id}`)).body])).not.toContain(VALUE);
      const failing = await start({ env_vars: { A: 'secret:NOWHERE' } });
      expect((await poll()).body).toEqual([]);
      expect((await send('GET', `/executions/${failing}`)).body).toMatchObject({
        status: 'failed',
        error_message: 'The variable A refers to the secret NOWHERE, which does not exist',
      });
    });
  });

  describe('integrations', () => {
    const create = async (body: Json): Promise<Json> => (await send('POST', '/integrations', body)).body as Json;

    it('are created with every field and returned exactly as sent', async () => {
      await send('POST', '/secrets', { name: 'MAIL', value: VALUE });
      const fields = {
        ...{ name: 'Mail ', type: 'smtp', description: 'd', tags: ['b', 'a'], metadata: { z: { y: 1 }, a: null } },
        configuration: { env_vars: { PASSWORD: 'secret:MAIL', PORT: 25 }, host: 'mail.example.com', mcp_servers: null },
      };
      const created = await send('POST', '/integrations', { ...fields, id: 'mine', secret_names: ['x'] });
      const stored = { id: expect.stringMatching(/^[0-9a-f-]{36}$/), organization_id: expect.any(String), ...times };
      expect([created.status, created.body]).toEqual([201, { ...fields, ...stored, created_by: expect.any(String) }]);
      const read = await send('GET', `/integrations/${(created.body as Json)['id']}`);
      expect(JSON.stringify(read.body)).toBe(JSON.stringify(created.body));
      expect(codeOf(await send('DELETE', '/secrets/MAIL'))).toEqual([409, 'secret_in_use']);
      expect(codeOf(await send('POST', '/integrations', { ...fields }))).toEqual([409, 'integration_name_taken']);
    });

    it('have null, {} and [] for omitted fields and for "" or null', async () => {
      const empty = { description: '', configuration: null, tags: null, metadata: '' };
      for (const body of [{ name: 'bare' }, { name: 'bare with empty values', ...empty }]) {
        const created = await create({ ...body, type: 't' });
        expect(created).toMatchObject({ description: null, configuration: {}, tags: [], metadata: {} });
      }
    });

    it('report every fault of a configuration by its place', async () => {
      const configuration = { env_vars: ['A=1'], secrets: [1], a: 'secret:NOWHERE' };
      const refused = await send('POST', '/integrations', { name: 'x', type: 't', configuration });
      const locs = (refused.body as { detail: Json[] }).detail.map(({ loc }) => loc);
      expect([refused.status, locs]).toEqual([
        422,
        [
          ['body', 'configuration', 'env_vars'],
          ['body', 'configuration', 'secrets', '0'],
        ],
      ]);
      const unknown = await send('POST', '/integrations', {
        name: 'x',
        type: 't',
        configuration: { a: ['secret:NOWHERE'] },
      });
      expect([unknown.status, unknown.body]).toEqual([
        422,
        {
          detail: [
            { loc: ['body', 'configuration', 'a', '0'], msg: 'There is no secret named NOWHERE', type: 'value_error' },
          ],
        },
      ]);
    });

    it('are updated partially, listed by type and tag, and deleted without a body', async () => {
      const before = await create({ name: 'changing', type: 'listed', description: 'd', tags: ['t'] });
      const path = `/integrations/${before['id']}`;
      const updated = await send('PATCH', path, { name: '', type: null, description: '', configuration: { x: 1 } });
      const after = { ...before, description: null, configuration: { x: 1 }, updated_at: expect.any(String) };
      expect([updated.status, updated.body]).toEqual([200, after]);
      const newer = await create({ name: 'newer', type: 'listed' });
      const listed = await send('GET', '/integrations?type=listed&limit=1');
      expect([listed.body, listed.headers.get('x-total-count')]).toEqual([[newer], '2']);
      expect((await send('GET', '/integrations?type=listed&tag=t')).body).toEqual([updated.body]);
      expect(await send('DELETE', path)).toMatchObject({ status: 204, body: undefined });
      for (const method of ['DELETE', 'GET', 'PATCH']) {
        const missing = await send(method, path, method === 'PATCH' ? {} : undefined);
        expect(codeOf(missing)).toEqual([404, 'integration_not_found']);
      }
    });
  });
});
