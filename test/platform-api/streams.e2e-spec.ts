import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { countersOf, eventually, StreamClient } from '@app/testing';
import { call } from '../support/http.js';
import { Platform } from '../support/platform.js';
import { PlatformApi } from './platform-api.js';

/** One execution, streamed by both APIs. */
describe('the stream of an execution', () => {
  let platform: Platform;
  let admin: PlatformApi;
  let executionId: string;
  let clients: StreamClient[] = [];

  beforeAll(async () => {
    platform = await Platform.shared();
    admin = new PlatformApi(platform);
    const body = { prompt: 'hello' };
    const created = await call('POST', `${platform.url}/api/v1/executions/create`, { key: admin.key, body });
    executionId = (created.body as { execution_id: string }).execution_id;
  });
  afterAll(() => platform.stop());
  afterEach(() => {
    for (const client of clients) client.leave();
    clients = [];
  });

  const publish = async (): Promise<string> => {
    const url = `${platform.url}/api/v1/executions/${executionId}/events`;
    const { body } = await call('POST', url, { key: admin.key, body: { event_type: 'x' } });
    return (body as { event_id: string }).event_id;
  };

  describe.each([
    ['platform API', 'UserKey', () => admin.url],
    ['control plane', 'Bearer', () => platform.url],
  ] as const)('on the %s', (_api, scheme, base) => {
    const openStream = async (key: string, lastEventId?: string, query = ''): Promise<StreamClient> => {
      const url = `${base()}/api/v1/executions/${executionId}/stream${query}`;
      const client = await StreamClient.open(url, lastEventId, key, scheme);
      clients.push(client);
      return client;
    };

    it('ends when its key is revoked; other streams continue', async () => {
      const minted = await admin.expect(201, 'POST', '/api/v1/auth/keys', { name: 'short', scopes: ['tasks:read'] });
      const revoked = await openStream(String(minted['key']));
      const other = await openStream(admin.key);
      await eventually(() => expect([revoked, other].map(({ types }) => types.at(-1))).not.toContain(undefined));
      await admin.expect(204, 'DELETE', `/api/v1/auth/keys/${String(minted['id'])}`);
      await eventually(() => expect(revoked.ended).toBe('broken'));
      expect(other.ended).toBeNull();
    });

    it('ends when its key expires', async () => {
      const openUntil = async (lifetimeMs: number): Promise<StreamClient> => {
        const expires_at = new Date(Date.now() + lifetimeMs).toISOString();
        const minted = await admin.expect(201, 'POST', '/api/v1/auth/keys', {
          name: 'expiring',
          scopes: ['tasks:read'],
          expires_at,
        });
        return openStream(String(minted['key']));
      };
      let client = await openUntil(2_000);
      // On a slow machine, the key can expire before the stream is opened.
      for (let longer = 4_000; client.response.statusCode !== 200; longer *= 2) client = await openUntil(longer);
      await eventually(() => expect(client.ended).toBe('broken'));
    });

    it('starts after the event id of the header or, without one, of the query', async () => {
      const [first, second] = [await publish(), await publish()];
      const newest = Number(second.split('_').at(-2));
      const next = await publish();
      const cases = [
        { header: second, query: `?last_event_id=${first}`, counters: [newest + 1] },
        { header: '', query: `?last_event_id=${second}`, counters: [newest + 1] },
        { header: undefined, query: `?last_event_id=${first}`, counters: [newest, newest + 1] },
      ];
      for (const { header, query, counters } of cases) {
        const client = await openStream(admin.key, header, query);
        await eventually(() => expect(client.lastEventId).toBe(next));
        expect(countersOf(client.events)).toEqual(counters);
      }
    });
  });
});
