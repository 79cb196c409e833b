import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@app/testing';
import { PlatformApi } from '../platform-api/platform-api.js';
import { call, type HttpResponse } from '../support/http.js';
import { Platform } from '../support/platform.js';

const GATEWAY_KEY = 'the-key-of-the-model-gateway';
const VARIABLE = 'the-value-of-a-secret-variable';
const HEADER = 'Bearer the-value-of-a-header-of-an-mcp-server';
const STORED = 'the-value-of-a-stored-secret';
const variables = {
  execution_environment: {
    env_vars: { API_KEY: VARIABLE },
    mcp_servers: { tools: { url: 'https://tools.example.com', headers: { Authorization: HEADER } } },
  },
};

/**
 * Every statement that has a secret among its parameters fails in PostgreSQL, and the log of the failure contains no
 * secret. In addition, `npm test` searches the output of all tests for all secrets, but few of these statements fail in
 * other tests.
 */
describe('the log of a request that fails in PostgreSQL', () => {
  let platform: Platform;
  let api: PlatformApi;
  let job: Record<string, string>;
  const tables = [
    'api_keys',
    'jobs',
    'environments',
    'agents',
    'executions',
    'workers',
    'idempotency_keys',
    'secrets',
    'webhooks',
    'integrations',
  ];

  beforeAll(async () => {
    const env = { LLM_GATEWAY_API_KEY: GATEWAY_KEY };
    platform = await Platform.start({ platformApi: true, env });
    api = new PlatformApi(platform);
    const hooked = { name: 'hooked', trigger_type: 'webhook', prompt_template: 'Go', entity_id: 'later' };
    job = (await send('POST', '/jobs', hooked)).body as Record<string, string>;
  });
  afterAll(() => platform.stop());

  const send = (method: string, path: string, body?: unknown, headers = {}): Promise<HttpResponse> =>
    call(method, `${platform.url}/api/v1${path}`, { key: platform.adminKey, body, headers, unchecked: true });

  const sendWebhook = (): Promise<HttpResponse> => {
    const signature = createHmac('sha256', String(job['webhook_secret'])).update('{}').digest('hex');
    const headers = { 'X-Webhook-Signature': signature };
    return call('POST', String(job['webhook_url']), { raw: '{}', headers, unchecked: true });
  };

  /** Rejects all writes to a table: the driver's error quotes the whole row. */
  const rejectWrites = (table: string): Promise<unknown> =>
    platform.sql(`ALTER TABLE ${table} ADD CONSTRAINT rejected CHECK (false) NOT VALID`);

  const acceptWrites = (table: string): Promise<unknown> =>
    platform.sql(`ALTER TABLE ${table} DROP CONSTRAINT rejected`);

  const output = (): string => {
    const servers = [...platform.controlPlanes, ...(platform.platformApi === undefined ? [] : [platform.platformApi])];
    return servers.map(({ process }) => process.log()).join('\n');
  };

  const expectNoSecret = (...secrets: unknown[]): void => {
    const log = output();
    const own = [job['webhook_secret'], String(job['webhook_url']).split('/').at(-1), platform.adminKey];
    for (const secret of [...own, GATEWAY_KEY, VARIABLE, HEADER, STORED, ...secrets]) expect(log).not.toContain(secret);
  };

  it('contains the statement and no secret, for every write', async () => {
    for (const table of tables) await rejectWrites(table);
    const failed = [
      await api.call('POST', '/api/v1/auth/keys', { name: 'k' }, { unchecked: true }),
      await send('POST', '/jobs', { name: 'j', trigger_type: 'webhook', prompt_template: 'Go', entity_id: 'x' }),
      await send('PATCH', `/jobs/${job['id']}`, variables),
      await send('POST', `/jobs/${job['id']}/webhook/rotate`),
      await send('POST', `/jobs/${job['id']}/trigger`, { config_override: { api_key: VARIABLE } }),
      await send('POST', '/environments', { name: 'first', ...variables }),
      await send('POST', '/agents', { name: 'a', ...variables }),
      await send('POST', '/workers/register', { worker_metadata: { token: VARIABLE } }),
      await send('POST', '/environments', { name: 'second', ...variables }, { 'Idempotency-Key': 'once' }),
      await send('POST', '/secrets', { name: 'STORED', value: STORED }),
      await send('POST', '/webhooks', { url: 'http://127.0.0.1:9', events: ['done'] }),
      await send('POST', '/integrations', {
        name: 'mail',
        type: 'smtp',
        configuration: { env_vars: { PASSWORD: VARIABLE } },
      }),
      await sendWebhook(),
    ];
    for (const table of tables) await acceptWrites(table);
    expect(failed.map(({ status }) => status)).toEqual(failed.map(() => 500));
    await eventually(() => {
      expect(output()).toContain('INSERT INTO');
      expect(output()).toContain('"constraint":"rejected"');
    });
    expectNoSecret();
  });

  it('contains no token, signature or key, for every read', async () => {
    const columns = [
      ['jobs', 'webhook_token'],
      ['api_keys', 'hash'],
    ] as const;
    for (const [table, column] of columns) {
      await platform.sql(`ALTER TABLE ${table} RENAME COLUMN ${column} TO renamed`);
    }
    const unknownKey = 'a-key-that-was-never-minted-here';
    const failed = [
      await sendWebhook(),
      await call('GET', `${platform.url}/api/v1/models`, { key: unknownKey, unchecked: true }),
      await call('GET', `${api.url}/api/v1/auth/me`, { key: unknownKey, scheme: 'UserKey', unchecked: true }),
    ];
    for (const [table, column] of columns) {
      await platform.sql(`ALTER TABLE ${table} RENAME COLUMN renamed TO ${column}`);
    }
    expect(failed.map(({ status }) => status)).toEqual([500, 500, 500]);
    expectNoSecret(unknownKey);
  });
});
