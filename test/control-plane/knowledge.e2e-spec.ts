import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { call, type HttpResponse } from '../support/http.js';
import { PlatformApi } from '../platform-api/platform-api.js';
import { Platform } from '../support/platform.js';

type Json = Record<string, unknown>;

const MIB = 1_048_576;

describe('knowledge over HTTP', () => {
  let platform: Platform;

  beforeAll(async () => {
    platform = await Platform.start({ platformApi: true });
  });

  afterAll(() => platform.stop());

  const send = (
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<HttpResponse> =>
    call(method, `${platform.url}/api/v1/knowledge${path}`, { key: platform.adminKey, body, headers });

  const create = async (body: Json): Promise<Json> => (await send('POST', '', body)).body as Json;
  const faultsOf = ({ body }: HttpResponse): unknown[] => (body as { detail: Json[] }).detail.map(({ loc }) => loc);

  it('is created with every field and returned exactly as sent', async () => {
    const fields = {
      ...{ name: 'First ', description: ' d', content: 'Grüße,\n"world" \\ ' },
      ...{ tags: ['b', 'a', 'b'], metadata: { z: { y: 1 }, a: null, n: 1.5 } },
    };
    const created = await send('POST', '', { ...fields, id: 'mine', size: 1, unknown: 1 });
    expect(created.status).toBe(201);
    expect(created.body).toEqual({
      ...fields,
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      organization_id: expect.any(String),
      size: Buffer.byteLength(fields.content),
      created_by: expect.any(String),
      created_at: expect.any(String),
      updated_at: expect.any(String),
    });
    const read = await send('GET', `/${(created.body as Json)['id']}`);
    expect(read.body).toEqual(created.body);
    expect(JSON.stringify((read.body as Json)['metadata'])).toBe(JSON.stringify(fields.metadata));
  });

  it('has null, {} and [] for omitted fields and for "" or null', async () => {
    const empty = { description: '', content: '', tags: null, metadata: '' };
    for (const body of [{ name: 'bare' }, { name: 'bare', ...empty }]) {
      expect(await create(body)).toMatchObject({ description: null, content: null, tags: [], metadata: {}, size: 0 });
    }
  });

  it('is updated partially, then deleted without a body', async () => {
    const before = await create({ name: 'changing', description: 'd', content: 'text', tags: ['t'] });
    const path = `/${before['id']}`;
    const updated = await send('PATCH', path, { name: '', description: '', tags: [], metadata: { x: 1 } });
    const after = { ...before, description: null, tags: [], metadata: { x: 1 }, updated_at: expect.any(String) };
    expect([updated.status, updated.body]).toEqual([200, after]);
    expect((updated.body as Json)['updated_at']).not.toBe(before['updated_at']);
    expect((await send('PATCH', path, { content: null })).body).toMatchObject({ content: null, size: 0 });
    expect(await send('DELETE', path)).toMatchObject({ status: 204, body: undefined });
    for (const method of ['DELETE', 'GET', 'PATCH']) {
      const missing = await send(method, path, method === 'PATCH' ? {} : undefined);
      expect([missing.status, missing.headers.get('x-error-code')]).toEqual([404, 'knowledge_not_found']);
    }
  });

  it('is listed without contents, newest first, by tag and by words', async () => {
    const older = await create({ name: 'Older', tags: ['listed'], content: 'walrus '.repeat(3) });
    const newer = await create({ name: 'Walrus', tags: ['listed', 'x'], content: 'Lives in the north' });
    const [olderSummary, newerSummary] = [older, newer].map(({ content: _content, ...summary }) => summary);
    const listed = await send('GET', '?tag=listed&limit=1');
    expect(listed.body).toEqual([newerSummary]);
    expect(listed.headers.get('x-total-count')).toBe('2');
    expect((await send('GET', '?tag=listed&skip=1')).body).toEqual([olderSummary]);
    expect((await send('GET', '?q=walrus')).body).toEqual([newerSummary, olderSummary]);
    expect((await send('GET', `?q=${encodeURIComponent('"the north"')}`)).body).toEqual([newerSummary]);
    expect((await send('GET', `?q=${encodeURIComponent('\' & | ! :* \\ ( -"')}`)).status).toBe(200);
    expect(faultsOf(await send('GET', `?q=${'x'.repeat(501)}`))).toEqual([['query', 'q']]);
  });

  it('has contents of up to 1 MiB in UTF-8, many of which fit into one list', async () => {
    const content = 'é"\n'.repeat(MIB / 4);
    const ids = await Promise.all(
      Array.from(
        { length: 12 },
        async (_none, n) => (await create({ name: `large ${n}`, content, tags: ['large'] }))['id'],
      ),
    );
    expect((await send('GET', `/${ids[0]}`)).body).toMatchObject({ content, size: MIB });
    const listed = await send('GET', '?tag=large&limit=1000');
    expect([listed.status, (listed.body as unknown[]).length]).toEqual([200, 12]);
    const tooLarge = { name: 'too large', content: `${content}x`, metadata: { x: 'x'.repeat(40_000) } };
    const refused = await send('POST', '', tooLarge);
    expect([refused.status, faultsOf(refused)]).toEqual([
      422,
      [
        ['body', 'content'],
        ['body', 'metadata'],
      ],
    ]);
    expect((await send('PATCH', `/${ids[0]}`, { content: 'x'.repeat(MIB + 1) })).status).toBe(422);
    expect((await send('POST', '', { name: 'a', content: 'x'.repeat(11 * MIB) })).status).toBe(413);
  });

  describe('of a run', () => {
    const api = (method: string, path: string, body?: unknown): Promise<HttpResponse> =>
      call(method, `${platform.url}/api/v1${path}`, { key: platform.adminKey, body });
    const idOf = async (path: string, body: Json): Promise<string> =>
      ((await api('POST', path, body)).body as Json)['id'] as string;

    /** Starts a run on a queue of its own and returns its lease. */
    async function leaseOf(path: string): Promise<Json & { execution: Json; context: Json }> {
      const queue = await idOf('/environments/default/worker-queues', { name: `queue-${path.slice(-12)}` });
      const { worker_id } = (await api('POST', `/worker-queues/${queue}/start`, {})).body as Json;
      await api('POST', `${path}/execute`, { prompt: 'Go', worker_queue_id: queue });
      const [lease] = (await api('POST', `/workers/${worker_id}/poll`, { wait_seconds: 20 })).body as never[];
      if (lease === undefined) throw new Error('No lease');
      return lease;
    }

    it('is named in its lease, and searched and read by the lease holder alone', async () => {
      const names = ['Otter care', 'Otter food', 'Otter secrets', 'Otter base'];
      const entries = await Promise.all(
        names.map((name) => create({ name, description: `About ${name}`, content: `${name}: quokka` })),
      );
      const [care, food, secret, base] = entries.map(({ id }) => id as string);
      const configuration = { knowledge_base: { knowledge_uuids: [base, care, 'gone', 1] } };
      const team = await idOf('/teams', { name: 'keepers', configuration });
      await api('PUT', `/context/team/${team}`, { knowledge_uuids: [food, 'gone', care] });
      const member = await idOf('/agents', { name: 'diver', team_id: team });
      const ofMember = await idOf('/knowledge', { name: 'Member', content: 'axolotl' });
      await api('PUT', `/context/agent/${member}`, { knowledge_uuids: [ofMember] });
      const lease = await leaseOf(`/teams/${team}`);
      const summaryOf = (n: number): Json => ({
        ...{ id: entries[n]?.['id'], name: names[n], description: `About ${names[n]}` },
      });
      expect(lease.context).toMatchObject({
        knowledge_uuids: [food, 'gone', care, base],
        knowledge: [summaryOf(1), summaryOf(0), summaryOf(3)],
      });

      const { key } = await new PlatformApi(platform).withScopes('tasks:execute', 'runners:manage');
      const run = `${platform.url}/api/v1/executions/${lease.execution['id']}/knowledge`;
      const read = (path: string, token = lease['lease_token'] as string): Promise<HttpResponse> =>
        call('GET', run + path, { key, headers: token === '' ? {} : { 'X-Lease-Token': token } });
      const found = async (path: string): Promise<unknown[]> =>
        ((await read(path)).body as { name: string }[]).map(({ name }) => name).sort((a, b) => a.localeCompare(b));
      expect(await found('?q=quokka')).toEqual(['Otter base', 'Otter care', 'Otter food']);
      expect(await found('?q=food')).toEqual(['Otter food']);
      expect(await found('')).toHaveLength(4);
      expect(await found('?q=axolotl')).toEqual(['Member']);
      expect((await read(`/${care}`)).body).toMatchObject({ ...summaryOf(0), content: 'Otter care: quokka' });

      const refusal = async (path: string, token?: string): Promise<unknown[]> => {
        const { status, headers } = await read(path, token);
        return [status, headers.get('x-error-code')];
      };
      expect(await refusal(`/${secret}`)).toEqual([404, 'knowledge_not_found']);
      expect(await refusal('/gone')).toEqual([404, 'knowledge_not_found']);
      for (const path of ['', `/${care}`]) {
        expect(await refusal(path, 'stale')).toEqual([409, 'lease_lost']);
        expect(await refusal(path, '')).toEqual([403, 'insufficient_scope']);
        expect((await call('GET', run + path, { key: platform.adminKey })).status).toBe(200);
      }
      await api('PUT', `/context/team/${team}`, { knowledge_uuids: [] });
      expect(await refusal(`/${food}`)).toEqual([404, 'knowledge_not_found']);
      expect(await found('')).toEqual(['Member', 'Otter base', 'Otter care']);
    });
  });

  it('is created once by requests with the same idempotency key', async () => {
    const key = { 'Idempotency-Key': 'create-once' };
    const first = await send('POST', '', { name: 'once' }, key);
    expect(await send('POST', '', { name: 'once' }, key)).toMatchObject({ status: 201, body: first.body });
  });
});
