import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { call, type HttpResponse } from '../support/http.js';
import { Platform } from '../support/platform.js';

interface Found {
  readonly items: readonly Record<string, string | null>[];
}

describe('search over HTTP', () => {
  let platform: Platform;

  beforeAll(async () => {
    platform = await Platform.shared();
    const create = (path: string, body: object, key = platform.adminKey): Promise<HttpResponse> =>
      call('POST', `${platform.url}/api/v1/${path}`, { key, body });
    await create('agents', { name: 'Release notes', description: 'x'.repeat(300) });
    await create('teams', { name: 'notes' });
    await create('workflows', { name: 'Notes of 100% (all)' });
    await create('jobs', {
      name: 'night_notes',
      trigger_type: 'manual',
      planning_mode: 'on_the_fly',
      prompt_template: 'p',
    });
    await create('policies', { name: 'footnotes' });
    await create('projects', { name: 'Notes project', key: 'NP' });
    await create('executions/create', { execution_id: 'notes-1', prompt: 'p' });
    await create('agents', { name: 'notes of others' }, (await platform.createOrganization('other')).adminKey);
  });

  afterAll(() => platform.stop());

  const search = (query: string, key = platform.adminKey): Promise<HttpResponse> =>
    call('GET', `${platform.url}/api/v1/search?${query}`, { key });
  const found = async (query: string, key?: string): Promise<string[]> =>
    ((await search(query, key)).body as Found).items.map(({ kind, name }) => `${kind} ${name}`);

  it('finds names of the organization of the caller only, by the beginning of a word, in any letter case', async () => {
    expect(await found('q=NOTES')).toEqual([
      'team notes',
      'workflow Notes of 100% (all)',
      'project Notes project',
      'agent Release notes',
      'job night_notes',
    ]);
    expect(await found('q=not%20rel')).toEqual(['agent Release notes']);
    expect(await found('q=(a')).toEqual(['workflow Notes of 100% (all)']);
    expect(await found('q=100%25')).toEqual(['workflow Notes of 100% (all)']);
    expect(await found('q=.*')).toEqual([]);
    expect(await found('q=otes')).toEqual([]);
  });

  it('finds jobs with names that are too long for an index, after those with shorter names', async () => {
    const long = `archive ${randomBytes(4500).toString('base64')}`;
    for (const name of [long, 'Archive of letters']) {
      const job = { name, trigger_type: 'manual', planning_mode: 'on_the_fly', prompt_template: 'p' };
      expect((await call('POST', `${platform.url}/api/v1/jobs`, { key: platform.adminKey, body: job })).status).toBe(
        201,
      );
    }
    expect(await found('q=archive')).toEqual(['job Archive of letters', `job ${long}`]);
    expect(await found('q=archive&limit=1')).toEqual(['job Archive of letters']);
  });

  it('finds an execution by its whole id', async () => {
    expect((await search('q=notes-1')).body).toEqual({
      items: [{ kind: 'execution', id: 'notes-1', name: 'notes-1', detail: null, status: 'pending' }],
    });
  });

  it('finds only the requested kinds that the key may read', async () => {
    const mint = async (scopes: string[]): Promise<string> => {
      const url = `${platform.platformApi?.url}/api/v1/auth/keys`;
      const body = { name: 'k', scopes };
      const minted = await call('POST', url, { key: platform.adminKey, scheme: 'UserKey', body });
      return (minted.body as { key: string }).key;
    };
    expect(await found('q=notes&kinds=agent,job')).toEqual(['agent Release notes', 'job night_notes']);
    expect(await found('q=notes', await mint(['workflows:read']))).toEqual(['workflow Notes of 100% (all)']);
    expect(await found('q=notes-1', await mint(['agents:read']))).toEqual([]);
    const { body } = await search('q=release&limit=1');
    expect(body).toMatchObject({ items: [{ detail: 'x'.repeat(200), status: 'idle' }] });
  });

  it.each([
    ['', 'q'],
    [`q=${'x'.repeat(101)}`, 'q'],
    ['q=x&kinds=agent,moon', 'kinds'],
    ['q=x&limit=21', 'limit'],
  ])('rejects "%s" with a fault of %s', async (query, field) => {
    expect(await search(query)).toMatchObject({ status: 422, body: { detail: [{ loc: ['query', field] }] } });
  });
});
