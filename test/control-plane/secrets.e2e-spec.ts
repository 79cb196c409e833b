import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { unwrap, type ControlPlaneClient, type ControlPlaneComponents } from '@app/api-client';
import { call, type HttpResponse } from '../support/http.js';
import { Platform } from '../support/platform.js';
import { recordSecret } from '../support/run-record.js';
import { answerOf, at, refusalOf } from '../support/typed-client.js';

type Json = Record<string, unknown>;
type Schemas = ControlPlaneComponents['schemas'];

const VALUE = 'hunter2-and-further-characters';

describe('secrets and integrations over HTTP', () => {
  let platform: Platform;
  let api: ControlPlaneClient;

  beforeAll(async () => {
    platform = await Platform.shared();
    api = platform.client();
    recordSecret(VALUE);
  });

  afterAll(() => platform.stop());

  /** For bodies that the types of the client forbid. */
  const send = (path: string, body: unknown): Promise<HttpResponse> =>
    call('POST', `${platform.url}/api/v1${path}`, { key: platform.adminKey, body });
  const createSecret = (name: string) => api.POST('/api/v1/secrets', { body: { name, value: VALUE } });
  const ofSecret = (secret_name: string) => at({ secret_name });
  const faultsOf = ({ body }: HttpResponse): Json[] => (body as { detail: Json[] }).detail;
  const times = { created_at: expect.any(String), updated_at: expect.any(String) };

  describe('secrets', () => {
    const described = (name: string): Json => ({
      name,
      organization_id: expect.any(String),
      ...times,
      created_by: expect.any(String),
      updated_by: expect.any(String),
    });

    it('are stored, replaced, listed and deleted; no response contains a value', async () => {
      const id = ofSecret('FIRST');
      const created = await answerOf(createSecret('FIRST'));
      expect([created.status, created.body]).toEqual([201, described('FIRST')]);
      expect(await refusalOf(createSecret('FIRST'))).toEqual([409, 'secret_name_taken']);
      const body = { value: `${VALUE}!` };
      const replaced = await unwrap(api.PUT('/api/v1/secrets/{secret_name}', { ...id, body }));
      expect(replaced).toEqual(described('FIRST'));
      expect(await unwrap(api.GET('/api/v1/secrets/{secret_name}', id))).toEqual(replaced);
      expect(await unwrap(api.GET('/api/v1/secrets'))).toEqual([replaced]);
      const deleted = await answerOf(api.DELETE('/api/v1/secrets/{secret_name}', id));
      expect([deleted.status, deleted.body]).toEqual([204, undefined]);
      for (const missing of [
        api.GET('/api/v1/secrets/{secret_name}', id),
        api.DELETE('/api/v1/secrets/{secret_name}', id),
        api.PUT('/api/v1/secrets/{secret_name}', { ...id, body }),
      ]) {
        expect(await refusalOf(missing)).toEqual([404, 'secret_not_found']);
      }
      for (const invalid of [
        { name: 'a b', value: VALUE },
        { name: 'SECOND' },
        { name: '', value: '' },
        { name: 1, value: [VALUE] },
      ]) {
        const refused = await send('/secrets', invalid);
        expect(refused.status).toBe(422);
        expect(JSON.stringify(refused.body)).not.toContain(VALUE);
      }
    });

    it('are created once per idempotency key, whose stored request reveals nothing', async () => {
      const headers = { 'Idempotency-Key': 'a-secret' };
      const body = { name: 'ONCE', value: VALUE };
      const create = (value: string) => answerOf(api.POST('/api/v1/secrets', { body: { ...body, value }, headers }));
      const first = await create(VALUE);
      expect(await create(VALUE)).toMatchObject({ status: 201, body: first.body });
      expect((await create('another')).status).toBe(422);
      const [stored] = await platform.sql<{ digest: string }>("SELECT * FROM idempotency_keys WHERE key = 'a-secret'");
      const guess = createHash('sha256').update('POST /api/v1/secrets\n').update(JSON.stringify(body)).digest('hex');
      expect(JSON.stringify(stored)).not.toContain(guess);
      expect(JSON.stringify(stored)).not.toContain(VALUE);
    });

    it('require the secrets key of the platform', async () => {
      const { url } = await platform.startControlPlane({ SECRETS_KEY: '' });
      const keyless = platform.client(platform.adminKey, url);
      const refused = await answerOf(keyless.POST('/api/v1/secrets', { body: { name: 'KEYLESS', value: VALUE } }));
      expect([refused.status, refused.headers.get('x-error-code'), refused.body]).toEqual([
        503,
        'secrets_key_missing',
        { detail: 'The platform has no key for secrets: its operator must set SECRETS_KEY' },
      ]);
    });
  });

  describe('runs', () => {
    const start = async (execution_environment: Json): Promise<string> => {
      const agent = await unwrap(api.POST('/api/v1/agents', { body: { name: 'a', execution_environment } }));
      const run = at({ agent_id: agent.id }, { body: { prompt: 'Go' } });
      return (await unwrap(api.POST('/api/v1/agents/{agent_id}/execute', run))).execution_id;
    };
    const read = (execution_id: string) => unwrap(api.GET('/api/v1/executions/{execution_id}', at({ execution_id })));

    it('get values only in their lease, and fail with the name of a missing secret or integration', async () => {
      await unwrap(createSecret('LEASED'));
      const configuration = { env_vars: { PASSWORD: 'secret:LEASED', HOST: 'mail' } };
      const integration = await unwrap(
        api.POST('/api/v1/integrations', { body: { name: 'leased', type: 'smtp', configuration } }),
      );
      const id = await start({ env_vars: { HOST: 'none' }, integration_ids: [integration.id] });
      const { worker_id } = await unwrap(api.POST('/api/v1/workers/register', { body: {} }));
      const poll = () =>
        unwrap(api.POST('/api/v1/workers/{worker_id}/poll', at({ worker_id }, { body: { wait_seconds: 5 } })));
      const [lease] = await poll();
      expect(lease).toMatchObject({
        execution: { id },
        environment: { PASSWORD: VALUE, HOST: 'mail' },
        secrets: ['PASSWORD'],
      });
      const { environment: _values, ...others } = lease ?? {};
      expect(JSON.stringify([others, await read(id)])).not.toContain(VALUE);
      const failing = await start({ env_vars: { A: 'secret:NOWHERE' } });
      expect(await poll()).toEqual([]);
      expect(await read(failing)).toMatchObject({
        status: 'failed',
        error_message: 'The variable A refers to the secret NOWHERE, which does not exist',
      });
    });
  });

  describe('integrations', () => {
    const create = (body: Schemas['CreateIntegrationRequest']) => unwrap(api.POST('/api/v1/integrations', { body }));

    it('are created with every field and returned exactly as sent', async () => {
      await unwrap(createSecret('MAIL'));
      const fields = {
        name: 'Mail ',
        type: 'smtp',
        description: 'd',
        tags: ['b', 'a'],
        metadata: { z: { y: 1 }, a: null },
        configuration: { env_vars: { PASSWORD: 'secret:MAIL', PORT: 25 }, host: 'mail.example.com', mcp_servers: null },
      };
      // The types of the client forbid the fields that only the platform sets.
      const created = await send('/integrations', { ...fields, id: 'mine', secret_names: ['x'] });
      const stored = { id: expect.stringMatching(/^[0-9a-f-]{36}$/), organization_id: expect.any(String), ...times };
      expect([created.status, created.body]).toEqual([201, { ...fields, ...stored, created_by: expect.any(String) }]);
      const { id: integration_id } = created.body as { id: string };
      const read = await unwrap(api.GET('/api/v1/integrations/{integration_id}', at({ integration_id })));
      expect(JSON.stringify(read)).toBe(JSON.stringify(created.body));
      const deletion = api.DELETE('/api/v1/secrets/{secret_name}', ofSecret('MAIL'));
      expect(await refusalOf(deletion)).toEqual([409, 'secret_in_use']);
      expect(await refusalOf(api.POST('/api/v1/integrations', { body: fields }))).toEqual([
        409,
        'integration_name_taken',
      ]);
    });

    it('have null, {} and [] for omitted fields and for "" or null', async () => {
      const expected = { description: null, configuration: {}, tags: [], metadata: {} };
      const nulls = { description: '', configuration: null, tags: null, metadata: null };
      for (const body of [{ name: 'bare' }, { name: 'bare with nulls', ...nulls }]) {
        expect(await create({ ...body, type: 't' })).toMatchObject(expected);
      }
      const blank = await send('/integrations', { ...nulls, name: 'blank', type: 't', metadata: '' });
      expect(blank.body).toMatchObject(expected);
    });

    it('report every fault of a configuration with its location', async () => {
      const configuration = { env_vars: ['A=1'], secrets: [1], a: 'secret:NOWHERE' };
      const refused = await send('/integrations', { name: 'x', type: 't', configuration });
      const locs = faultsOf(refused).map(({ loc }) => loc);
      expect([refused.status, locs]).toEqual([
        422,
        [
          ['body', 'configuration', 'env_vars'],
          ['body', 'configuration', 'secrets', '0'],
        ],
      ]);
      const body = { name: 'x', type: 't', configuration: { a: ['secret:NOWHERE'] } };
      const unknown = await answerOf(api.POST('/api/v1/integrations', { body }));
      expect([unknown.status, faultsOf(unknown)]).toEqual([
        422,
        [{ loc: ['body', 'configuration', 'a', '0'], msg: 'There is no secret named NOWHERE', type: 'value_error' }],
      ]);
    });

    it('are updated partially, listed by type and tag, and deleted without a body', async () => {
      const before = await create({ name: 'changing', type: 'listed', description: 'd', tags: ['t'] });
      const id = at({ integration_id: before.id });
      const body = { name: '', type: null, description: '', configuration: { x: 1 } };
      const updated = await unwrap(api.PATCH('/api/v1/integrations/{integration_id}', { ...id, body }));
      const after = { ...before, description: null, configuration: { x: 1 }, updated_at: expect.any(String) };
      expect(updated).toEqual(after);
      const newer = await create({ name: 'newer', type: 'listed' });
      const list = (query: { tag?: string; limit?: number }) =>
        answerOf(api.GET('/api/v1/integrations', { params: { query: { type: 'listed', ...query } } }));
      const listed = await list({ limit: 1 });
      expect([listed.body, listed.headers.get('x-total-count')]).toEqual([[newer], '2']);
      expect((await list({ tag: 't' })).body).toEqual([updated]);
      const deleted = await answerOf(api.DELETE('/api/v1/integrations/{integration_id}', id));
      expect([deleted.status, deleted.body]).toEqual([204, undefined]);
      for (const missing of [
        api.DELETE('/api/v1/integrations/{integration_id}', id),
        api.GET('/api/v1/integrations/{integration_id}', id),
        api.PATCH('/api/v1/integrations/{integration_id}', { ...id, body: {} }),
      ]) {
        expect(await refusalOf(missing)).toEqual([404, 'integration_not_found']);
      }
    });
  });
});
