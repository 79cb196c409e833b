import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { unwrap, type ControlPlaneClient, type ControlPlaneComponents } from '@app/api-client';
import { PlatformApi } from '../platform-api/platform-api.js';
import { call, type HttpResponse } from '../support/http.js';
import { Platform } from '../support/platform.js';
import { answerOf, at, refusalOf } from '../support/typed-client.js';

type Schemas = ControlPlaneComponents['schemas'];
type Fields = Schemas['CreateKnowledgeRequest'];
type Entry = Schemas['KnowledgeResponse'];

const MIB = 1_048_576;

describe('knowledge over HTTP', () => {
  let platform: Platform;
  let api: ControlPlaneClient;

  beforeAll(async () => {
    platform = await Platform.shared();
    api = platform.client();
  });

  afterAll(() => platform.stop());

  /** For bodies that the types of the client forbid. */
  const send = (body: unknown): Promise<HttpResponse> =>
    call('POST', `${platform.url}/api/v1/knowledge`, { key: platform.adminKey, body });
  const create = (body: Fields): Promise<Entry> => unwrap(api.POST('/api/v1/knowledge', { body }));
  const read = (knowledge_id: string) => api.GET('/api/v1/knowledge/{knowledge_id}', at({ knowledge_id }));
  const update = (knowledge_id: string, body: Schemas['UpdateKnowledgeRequest']) =>
    api.PATCH('/api/v1/knowledge/{knowledge_id}', at({ knowledge_id }, { body }));
  const list = (query: { tag?: string; q?: string; limit?: number; skip?: number }) =>
    answerOf(api.GET('/api/v1/knowledge', { params: { query } }));
  const faultsOf = ({ body }: HttpResponse): unknown[] =>
    (body as { detail: { loc: unknown }[] }).detail.map(({ loc }) => loc);

  it('is created with every field and returned exactly as sent', async () => {
    const fields = {
      name: 'First ',
      description: ' d',
      content: 'Grüße,\n"world" \\ ',
      tags: ['b', 'a', 'b'],
      metadata: { z: { y: 1 }, a: null, n: 1.5 },
    };
    const created = await send({ ...fields, id: 'mine', size: 1, unknown: 1 });
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
    const stored = await unwrap(read((created.body as Entry).id));
    expect(stored).toEqual(created.body);
    expect(JSON.stringify(stored.metadata)).toBe(JSON.stringify(fields.metadata));
    const again = await create(fields);
    expect(again).toEqual({
      ...stored,
      id: again.id,
      created_at: expect.any(String),
      updated_at: expect.any(String),
    });
  });

  it('has null, {} and [] for omitted fields and for "" or null', async () => {
    const expected = { description: null, content: null, tags: [], metadata: {}, size: 0 };
    const empty = { name: 'bare', description: '', content: '', tags: null };
    for (const body of [{ name: 'bare' }, { ...empty, metadata: null }]) {
      expect(await create(body)).toMatchObject(expected);
    }
    expect((await send({ ...empty, metadata: '' })).body).toMatchObject(expected);
  });

  it('is updated partially, then deleted without a body', async () => {
    const before = await create({ name: 'changing', description: 'd', content: 'text', tags: ['t'] });
    const { id } = before;
    const updated = await unwrap(update(id, { name: '', description: '', tags: [], metadata: { x: 1 } }));
    const after = { ...before, description: null, tags: [], metadata: { x: 1 }, updated_at: expect.any(String) };
    expect(updated).toEqual(after);
    expect(updated.updated_at).not.toBe(before.updated_at);
    expect(await unwrap(update(id, { content: null }))).toMatchObject({ content: null, size: 0 });
    const remove = () => api.DELETE('/api/v1/knowledge/{knowledge_id}', at({ knowledge_id: id }));
    const deleted = await answerOf(remove());
    expect([deleted.status, deleted.body]).toEqual([204, undefined]);
    for (const missing of [remove(), read(id), update(id, {})]) {
      expect(await refusalOf(missing)).toEqual([404, 'knowledge_not_found']);
    }
  });

  it('is listed without contents, newest first, by tag and by words', async () => {
    const older = await create({ name: 'Older', tags: ['listed'], content: 'walrus '.repeat(3) });
    const newer = await create({ name: 'Walrus', tags: ['listed', 'x'], content: 'Lives in the north' });
    const [olderSummary, newerSummary] = [older, newer].map(({ content: _content, ...summary }) => summary);
    const listed = await list({ tag: 'listed', limit: 1 });
    expect(listed.body).toEqual([newerSummary]);
    expect(listed.headers.get('x-total-count')).toBe('2');
    expect((await list({ tag: 'listed', skip: 1 })).body).toEqual([olderSummary]);
    expect((await list({ q: 'walrus' })).body).toEqual([newerSummary, olderSummary]);
    expect((await list({ q: '"the north"' })).body).toEqual([newerSummary]);
    expect((await list({ q: '\' & | ! :* \\ ( -"' })).status).toBe(200);
    expect(faultsOf(await list({ q: 'x'.repeat(501) }))).toEqual([['query', 'q']]);
  });

  it('has contents of up to 1 MiB in UTF-8, many of which fit into one list', async () => {
    const content = 'é"\n'.repeat(MIB / 4);
    const entries = await Promise.all(
      Array.from({ length: 12 }, (_none, n) => create({ name: `large ${n}`, content, tags: ['large'] })),
    );
    const id = entries[0]?.id ?? '';
    expect(await unwrap(read(id))).toMatchObject({ content, size: MIB });
    const listed = await list({ tag: 'large', limit: 1000 });
    expect([listed.status, (listed.body as unknown[]).length]).toEqual([200, 12]);
    const tooLarge = { name: 'too large', content: `${content}x`, metadata: { x: 'x'.repeat(40_000) } };
    const refused = await answerOf(api.POST('/api/v1/knowledge', { body: tooLarge }));
    expect([refused.status, faultsOf(refused)]).toEqual([
      422,
      [
        ['body', 'content'],
        ['body', 'metadata'],
      ],
    ]);
    expect((await answerOf(update(id, { content: 'x'.repeat(MIB + 1) }))).status).toBe(422);
    const body = { name: 'a', content: 'x'.repeat(11 * MIB) };
    expect((await answerOf(api.POST('/api/v1/knowledge', { body }))).status).toBe(413);
  });

  describe('of a run', () => {
    /** Starts a run of a team on a queue of its own and returns its lease. */
    async function leaseOf(team_id: string): Promise<Schemas['LeaseResponse']> {
      const queues = '/api/v1/environments/{environment_id}/worker-queues';
      const body = { name: `queue-${team_id.slice(-12)}` };
      const queue = await unwrap(api.POST(queues, at({ environment_id: 'default' }, { body })));
      const worker = await unwrap(
        api.POST('/api/v1/worker-queues/{queue_id}/start', at({ queue_id: queue.id }, { body: {} })),
      );
      const run = { prompt: 'Go', worker_queue_id: queue.id };
      await unwrap(api.POST('/api/v1/teams/{team_id}/execute', at({ team_id }, { body: run })));
      const poll = at({ worker_id: worker.worker_id }, { body: { wait_seconds: 20 } });
      const [lease] = await unwrap(api.POST('/api/v1/workers/{worker_id}/poll', poll));
      if (lease === undefined) throw new Error('No lease');
      return lease;
    }

    const putContext = (entity_type: string, entity_id: string, knowledge_uuids: string[]) =>
      unwrap(
        api.PUT(
          '/api/v1/context/{entity_type}/{entity_id}',
          at({ entity_type, entity_id }, { body: { knowledge_uuids } }),
        ),
      );

    it('is named in its lease, and searched and read by the lease holder alone', async () => {
      const createNamed = (name: string): Promise<Entry> =>
        create({ name, description: `About ${name}`, content: `${name}: quokka` });
      const [care, food, secret, base] = await Promise.all([
        createNamed('Otter care'),
        createNamed('Otter food'),
        createNamed('Otter secrets'),
        createNamed('Otter base'),
      ]);
      // Entries of other types in the list are ignored.
      const configuration = { knowledge_base: { knowledge_uuids: [base.id, care.id, 'gone', 1] as string[] } };
      const team = await unwrap(api.POST('/api/v1/teams', { body: { name: 'keepers', configuration } }));
      await putContext('team', team.id, [food.id, 'gone', care.id]);
      const member = await unwrap(api.POST('/api/v1/agents', { body: { name: 'diver', team_id: team.id } }));
      const ofMember = await create({ name: 'Member', content: 'axolotl' });
      await putContext('agent', member.id, [ofMember.id]);
      const lease = await leaseOf(team.id);
      const summaryOf = ({ id, name, description }: Entry): object => ({ id, name, description });
      expect(lease.context).toMatchObject({
        knowledge_uuids: [food.id, 'gone', care.id, base.id],
        knowledge: [summaryOf(food), summaryOf(care), summaryOf(base)],
      });

      const { key } = await new PlatformApi(platform).withScopes('tasks:execute', 'runners:manage');
      const worker = platform.client(key);
      const execution_id = lease.execution.id;
      const tokenOf = (token: string): object => ({ headers: token === '' ? {} : { 'X-Lease-Token': token } });
      const search = (q?: string, token = lease.lease_token, client = worker) =>
        client.GET('/api/v1/executions/{execution_id}/knowledge', {
          ...tokenOf(token),
          params: { path: { execution_id }, query: q === undefined ? {} : { q } },
        });
      const readOf = (knowledge_id: string, token = lease.lease_token, client = worker) =>
        client.GET('/api/v1/executions/{execution_id}/knowledge/{knowledge_id}', {
          ...tokenOf(token),
          ...at({ execution_id, knowledge_id }),
        });
      const found = async (q?: string): Promise<string[]> =>
        (await unwrap(search(q))).map(({ name }) => name).sort((a, b) => a.localeCompare(b));
      expect(await found('quokka')).toEqual(['Otter base', 'Otter care', 'Otter food']);
      expect(await found('food')).toEqual(['Otter food']);
      expect(await found()).toHaveLength(4);
      expect(await found('axolotl')).toEqual(['Member']);
      expect(await unwrap(readOf(care.id))).toMatchObject({ ...summaryOf(care), content: 'Otter care: quokka' });

      expect(await refusalOf(readOf(secret.id))).toEqual([404, 'knowledge_not_found']);
      expect(await refusalOf(readOf('gone'))).toEqual([404, 'knowledge_not_found']);
      for (const request of [
        (token?: string, client?: ControlPlaneClient) => search(undefined, token, client),
        (token?: string, client?: ControlPlaneClient) => readOf(care.id, token, client),
      ]) {
        expect(await refusalOf(request('stale'))).toEqual([409, 'lease_lost']);
        expect(await refusalOf(request(''))).toEqual([403, 'insufficient_scope']);
        expect((await answerOf(request('', api))).status).toBe(200);
      }
      await putContext('team', team.id, []);
      expect(await refusalOf(readOf(food.id))).toEqual([404, 'knowledge_not_found']);
      expect(await found()).toEqual(['Member', 'Otter base', 'Otter care']);
    });
  });

  it('is created once by requests with the same idempotency key', async () => {
    const request = { body: { name: 'once' }, headers: { 'Idempotency-Key': 'create-once' } };
    const first = await answerOf(api.POST('/api/v1/knowledge', request));
    expect(await answerOf(api.POST('/api/v1/knowledge', request))).toMatchObject({ status: 201, body: first.body });
  });
});
