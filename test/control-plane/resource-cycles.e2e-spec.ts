import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createPlatformApiClient } from '@app/api-client';
import { Contract } from '../support/contract.js';
import { Platform } from '../support/platform.js';
import { contractChecks } from '../support/published-apis.js';
import { recordSecret } from '../support/run-record.js';
import { KEPT, type Cycle, type Fields } from './cycles/cycle.js';
import { newCycles } from './cycles/index.js';

interface User {
  readonly id: string;
  readonly email: string;
  readonly key: string;
}

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Fields;
  /** The entries of a list. */
  readonly list: readonly Fields[];
}

/** The generated client, called with paths that are known at run time only. */
interface UntypedClient {
  request(
    method: string,
    path: string,
    init: object,
  ): Promise<{ readonly data?: unknown; readonly error?: unknown; readonly response: Response }>;
}

/** Fields of a response that show the user who created the resource, and the one who changed it last. */
const CREATOR = { id: ['created_by', 'owner_id', 'added_by', 'user_id'], email: ['created_by_email', 'owner_email'] };
const EDITOR = { id: ['updated_by'], email: ['updated_by_email'] };

/** Keys whose values every change of a resource may change. */
const MOVING = ['updated_at', 'version', 'updated_by', 'updated_by_email', 'next_execution_at'];

/**
 * The actions of infrastructure-as-code tools on every resource: they send some fields, compare the response with them,
 * change single fields, and remove the resource.
 */
/** Returns the value of a field after an update to `empty`. Null sets an object or a list to its default. */
function emptiedValue({ emptied, nulled }: Cycle, field: string, empty: null | '', stored: unknown): unknown {
  const value = emptied?.[field];
  if (value !== KEPT) return value;
  if (empty === '' || typeof stored !== 'object')
    return empty === null && nulled !== undefined && field in nulled ? nulled[field] : stored;
  return Array.isArray(stored) ? [] : {};
}

describe('a resource', () => {
  let platform: Platform;
  let cycles: Readonly<Record<string, Cycle>>;
  let users: Readonly<Record<'author' | 'editor', User>>;
  let fresh = 0;

  beforeAll(async () => {
    platform = await Platform.shared();
    const setUp = async (path: string, body: Fields): Promise<string> =>
      String((await send('control-plane', 'POST', path, { body })).body['id']);
    const parents = {
      environment: await setUp('/api/v1/environments', { name: 'cycles' }),
      skill: await setUp('/api/v1/skills', { name: 'of cycles' }),
      agent: await setUp('/api/v1/agents', { name: 'of cycles' }),
      team: await setUp('/api/v1/teams', { name: 'of cycles' }),
      project: await setUp('/api/v1/projects', { name: 'of cycles', key: 'CYCLES' }),
      policy: await setUp('/api/v1/policies', { name: 'of cycles' }),
      user: String((await send('platform-api', 'POST', '/api/v1/users', { body: { name: 'of cycles' } })).body['id']),
    };
    cycles = newCycles(parents, setUp);
    users = { author: await newUser('author'), editor: await newUser('editor') };
    await send('control-plane', 'POST', '/api/v1/secrets', { body: { name: 'OF_CYCLES', value: 'secret of cycles' } });
  });

  afterAll(() => platform.stop());

  /** Creates a user with a key that has all scopes. */
  async function newUser(name: string): Promise<User> {
    const email = `${name}@Acme.test`;
    const { body: user } = await send('platform-api', 'POST', '/api/v1/users', { body: { name, email } });
    const body = { name, user_id: user['id'] };
    const { body: minted } = await send('platform-api', 'POST', '/api/v1/auth/keys', { body });
    const key = String(minted['key']);
    recordSecret(key);
    return { id: String(user['id']), email, key };
  }

  function clientOf(api: Cycle['api'], apiKey = platform.adminKey): UntypedClient {
    if (api === 'control-plane') return platform.client(apiKey) as unknown as UntypedClient;
    const baseUrl = platform.platformApi?.url ?? '';
    const client = createPlatformApiClient({ baseUrl, apiKey, retries: null });
    client.use(contractChecks);
    return client as unknown as UntypedClient;
  }

  async function send(
    api: Cycle['api'],
    method: string,
    path: string,
    init: object = {},
    key?: string,
  ): Promise<Answer> {
    const { data, error, response } = await clientOf(api, key).request(method.toLowerCase(), path, init);
    const content = (data ?? error ?? {}) as Fields;
    const entries = Array.isArray(content) ? content : (content['policies'] ?? content['keys'] ?? []);
    return { status: response.status, headers: response.headers, body: content, list: entries as Fields[] };
  }

  const resource = (name: string): Cycle => {
    const cycle = cycles[name];
    if (cycle === undefined) throw new Error(`test/control-plane/cycles has no entry for ${name}`);
    return cycle;
  };

  /** A value for the fields that must be unique. */
  const distinct = async ({ unique }: Cycle): Promise<Fields> => {
    fresh += 1;
    const values = Object.entries(unique ?? {}).map(async ([field, name]) => [field, await name(fresh)] as const);
    return Object.fromEntries(await Promise.all(values));
  };

  /** Values for all fields except those that must be unique. */
  const fullOf = ({ full, distinctInFull = {} }: Cycle): Fields => {
    fresh += 1;
    const values = Object.entries(distinctInFull).map(([field, value]) => [field, value(fresh)] as const);
    return { ...full, ...Object.fromEntries(values) };
  };

  const create = async (cycle: Cycle, fields: Fields): Promise<Answer> => {
    const body = { ...(await distinct(cycle)), ...fields };
    const created = await send(cycle.api, 'POST', cycle.path, { body });
    expect({ sent: body, status: created.status, body: created.body }).toMatchObject({ status: 201 });
    return created;
  };

  const item = async (cycle: Cycle, method: string, of: Fields, body?: Fields, key?: string): Promise<Answer> => {
    const parameter = /\{(\w+)\}$/.exec(cycle.item)?.[1] ?? 'id';
    const params = { path: { [parameter]: of[cycle.key ?? 'id'] } };
    return send(cycle.api, method, cycle.item, body === undefined ? { params } : { params, body }, key);
  };

  /** Compares texts, so that the order of keys and the form of numbers are compared as well. */
  const expectEcho = (received: Fields, sent: Fields, secret: readonly string[] = []): void => {
    for (const [field, value] of Object.entries(sent)) {
      if (secret.includes(field)) expect(received).not.toHaveProperty(field);
      else expect({ field, value: JSON.stringify(received[field]) }).toEqual({ field, value: JSON.stringify(value) });
    }
  };

  const without = (fields: Fields, names: readonly string[]): Fields =>
    Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)));

  const timeOf = ({ updated_at: time }: Fields): number => Date.parse(String(time));

  const nothing = { environment: '', skill: '', agent: '', team: '', project: '', policy: '', user: '' };
  const names = Object.keys(newCycles(nothing, () => Promise.resolve('')));

  /**
   * Resources that have a test of their own here, members of teams, which are agents, and sessions, which a start creates
   * (`test/flows/sessions`).
   */
  const OTHERS = [
    '/api/v1/context/{entity_type}/{entity_id}',
    '/api/v1/teams/{team_id}/agents/{agent_id}',
    '/api/v1/sessions/{user_session_id}',
  ];

  it.each(['control-plane', 'platform-api'] as const)('is among the cycles if it can be deleted (%s)', (api) => {
    const items = Object.values(newCycles(nothing, () => Promise.resolve(''))).map(({ item: path }) => path);
    const deleted = Contract.of(api).operations.filter(({ method }) => method === 'DELETE');
    const missing = deleted.filter(({ path }) => {
      const pattern = new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]*')}$`);
      return !OTHERS.includes(path) && !items.some((cycle) => pattern.test(cycle));
    });
    expect(missing.map(({ path }) => path)).toEqual([]);
  });

  /** The fields of a request in the document. */
  const documented = ({ api }: Cycle, method: string, path: string): string[] => {
    const contract = Contract.of(api);
    const operation = contract.operations.find(
      (one) => one.method === method && one.path.replaceAll(/\{\w+\}/g, '{}') === path.replaceAll(/\{\w+\}/g, '{}'),
    );
    if (operation === undefined) throw new Error(`There is no ${method} ${path} in the document`);
    return Object.keys(contract.resolve(operation.body ?? {})['properties'] ?? {}).sort();
  };

  it.each(names)('has values for every field of the document in its cycle: %s', (name) => {
    const cycle = newCycles({ ...nothing, environment: '{}', project: '{}', agent: '{}' }, () => Promise.resolve(''))[
      name
    ];
    if (cycle === undefined) throw new Error(`test/control-plane/cycles has no entry for ${name}`);
    // Paths with a parent contain the type of an entity as well.
    const path = cycle.path.replace('/associations/agents/', '/associations/{}/');
    const sent = [...Object.keys(cycle.full), ...Object.keys({ ...cycle.unique, ...cycle.distinctInFull })];
    expect(sent.sort()).toEqual(documented(cycle, 'POST', path));
    for (const verb of cycle.changes === undefined ? [] : (cycle.verbs ?? ['PATCH'])) {
      expect(Object.keys(cycle.changes ?? {}).sort()).toEqual(documented(cycle, verb, cycle.item));
    }
  });

  it.each(names)('has its defaults for omitted fields, for null and for "": %s', async (name) => {
    const cycle = resource(name);
    const { body: minimal } = await create(cycle, cycle.minimal);
    expectEcho(minimal, cycle.minimal, cycle.writeOnly);
    expectEcho(minimal, cycle.defaults);
    const optional = Object.keys(cycle.defaults);
    for (const empty of [null, '']) {
      const { body } = await create(cycle, {
        ...cycle.minimal,
        ...Object.fromEntries(optional.map((field) => [field, empty])),
      });
      expect(Object.keys(body)).toEqual(Object.keys(minimal));
      expectEcho(body, { ...cycle.defaults, ...(empty === '' ? cycle.blank : {}) });
    }
  });

  it.each(names)('is returned as it was sent, when created, read and listed: %s', async (name) => {
    const cycle = resource(name);
    const full = fullOf(cycle);
    const { body: created } = await create(cycle, full);
    expectEcho(created, full, cycle.writeOnly);
    if (cycle.isUnreadable !== true) {
      const read = await item(cycle, 'GET', created);
      expect(read.status).toBe(200);
      const kept = without(created, cycle.shownOnce ?? []);
      expect(JSON.stringify(without(read.body, cycle.detailed ?? []))).toBe(JSON.stringify(kept));
    }
    const listed = await send(cycle.api, 'GET', cycle.path);
    const found = listed.list.find((entry) => entry[cycle.key ?? 'id'] === created[cycle.key ?? 'id']);
    expectEcho(found ?? {}, without(full, [...(cycle.writeOnly ?? []), ...(cycle.unlisted ?? [])]));
    if (cycle.isUnpaged) return;
    const total = Number(listed.headers.get('x-total-count'));
    expect(total).toBeGreaterThanOrEqual(listed.list.length);
    await create(cycle, cycle.minimal);
    const first = await send(cycle.api, 'GET', cycle.path, { params: { query: { limit: 1 } } });
    expect(Number(first.headers.get('x-total-count'))).toBe(total + 1);
    const query = { limit: 1, cursor: first.headers.get('x-next-cursor'), total: false };
    const second = await send(cycle.api, 'GET', cycle.path, { params: { query } });
    expect(second.list).toHaveLength(1);
    expect(second.list[0]).not.toEqual(first.list[0]);
    expect(second.headers.get('x-total-count')).toBeNull();
  });

  it.each(names)('changes only in the fields of an update: %s', async (name) => {
    const cycle = resource(name);
    if (cycle.changes === undefined) return;
    const verbs = cycle.verbs ?? ['PATCH'];
    let current = without((await create(cycle, fullOf(cycle))).body, cycle.shownOnce ?? []);
    const volatile = [...MOVING, ...(cycle.derived ?? [])];
    for (const [index, [field, value]] of Object.entries(cycle.changes).entries()) {
      const updated = await item(cycle, verbs[index % verbs.length] ?? 'PATCH', current, { [field]: value });
      expect({ field, status: updated.status, body: updated.body }).toMatchObject({ status: 200 });
      expectEcho(updated.body, { [field]: value }, cycle.writeOnly);
      expect(without(updated.body, [...volatile, field])).toEqual(without(current, [...volatile, field]));
      if ('updated_at' in current) expect(timeOf(updated.body)).toBeGreaterThan(timeOf(current));
      current = updated.body;
    }
    if (cycle.isUnreadable === true) return;
    expect(without((await item(cycle, 'GET', current)).body, cycle.detailed ?? [])).toEqual(current);
  });

  it.each(names)('names the users who created and changed it: %s', async (name) => {
    const cycle = resource(name);
    const { author, editor } = users;
    const expectUser = (received: Fields, shown: typeof CREATOR, user: User): void => {
      const fields = [
        ...shown.id.map((field) => [field, user.id]),
        ...shown.email.map((field) => [field, user.email]),
      ] as [string, string][];
      expectEcho(received, Object.fromEntries(fields.filter(([field]) => field in received)));
    };
    const body = { ...(await distinct(cycle)), ...cycle.minimal };
    const { status, body: created } = await send(cycle.api, 'POST', cycle.path, { body }, author.key);
    expect({ status, created }).toMatchObject({ status: 201 });
    expectUser(created, CREATOR, author);
    expectUser(created, EDITOR, author);
    // The new values of unique fields belong to the resources of other tests.
    const change = Object.entries(cycle.changes ?? {}).find(([field]) => !(field in (cycle.unique ?? {})));
    if (change === undefined) return;
    const updating = await item(cycle, cycle.verbs?.[0] ?? 'PATCH', created, Object.fromEntries([change]), editor.key);
    expect({ status: updating.status, body: updating.body }).toMatchObject({ status: 200 });
    expectUser(updating.body, CREATOR, author);
    expectUser(updating.body, EDITOR, editor);
  });

  it.each(names)('clears or keeps fields that an update sets to null or "": %s', async (name) => {
    const cycle = resource(name);
    if (cycle.emptied === undefined) return;
    for (const empty of [null, ''] as const) {
      const { body: created } = await create(cycle, fullOf(cycle));
      const fields = Object.keys(cycle.emptied);
      const update = Object.fromEntries(fields.map((field) => [field, empty]));
      const { status, body } = await item(cycle, cycle.verbs?.[0] ?? 'PATCH', created, update);
      expect({ empty, status, body }).toMatchObject({ status: 200 });
      const expected = fields.map((field) => [field, emptiedValue(cycle, field, empty, created[field])]);
      expectEcho(body, Object.fromEntries(expected) as Fields);
    }
  });

  it.each(names)('reports missing and unknown fields and duplicates: %s', async (name) => {
    const cycle = resource(name);
    for (const field of [...Object.keys(cycle.minimal), ...Object.keys(cycle.unique ?? {})]) {
      const body = without({ ...cycle.minimal, ...(await distinct(cycle)) }, [field]);
      const rejected = await send(cycle.api, 'POST', cycle.path, { body });
      expect({ field, status: rejected.status, text: JSON.stringify(rejected.body) }).toEqual({
        field,
        status: 422,
        text: expect.stringContaining(field),
      });
    }
    const unknown = { unheard_of: 1 };
    const sent = { ...cycle.minimal, ...(await distinct(cycle)) };
    const answer = await send(cycle.api, 'POST', cycle.path, { body: { ...sent, ...unknown } });
    if (cycle.forbidsUnknown === true) expect(answer.status).toBe(422);
    else {
      expect(answer.status).toBe(201);
      expect(answer.headers.get('x-ignored-fields')).toBe('unheard_of');
      expect(answer.body).not.toHaveProperty('unheard_of');
    }
    if (cycle.unique === undefined || cycle.forbidsUnknown === true) return;
    const duplicate = await send(cycle.api, 'POST', cycle.path, { body: sent });
    expect(duplicate.status).toBe(409);
  });

  it.each(names)('does not exist after its deletion: %s', async (name) => {
    const cycle = resource(name);
    const { body: created } = await create(cycle, fullOf(cycle));
    const deleted = await item(cycle, 'DELETE', created);
    if (cycle.isDeletionConfirmed === true) {
      expect(deleted).toMatchObject({ status: 200, body: { id: created['id'], deleted: true } });
    } else expect(deleted.status).toBe(204);
    const verbs = [
      ...(cycle.changes === undefined ? [] : (cycle.verbs ?? ['PATCH'])),
      ...(cycle.isUnreadable === true ? [] : ['GET']),
    ];
    for (const method of ['DELETE', ...verbs]) {
      const body = method === 'GET' || method === 'DELETE' ? undefined : { ...cycle.changes };
      expect({ method, status: (await item(cycle, method, created, body)).status }).toEqual({ method, status: 404 });
    }
  });

  it('has a context that is replaced in part, and is empty again after its deletion', async () => {
    const { body: agent } = await create(resource('agents'), resource('agents').minimal);
    const params = { path: { entity_type: 'agent', entity_id: agent['id'] } };
    const context = async (method: string, body?: Fields): Promise<Fields> => {
      const init = body === undefined ? { params } : { params, body };
      const answer = await send('control-plane', method, '/api/v1/context/{entity_type}/{entity_id}', init);
      expect({ method, status: answer.status }).toEqual({ method, status: 200 });
      return answer.body;
    };
    const empty = { knowledge_uuids: [], resource_ids: [], policy_ids: [] };
    expect(await context('GET')).toMatchObject(empty);
    const full = { knowledge_uuids: ['b', 'a'], resource_ids: [' r '], policy_ids: [] };
    expect(await context('PUT', full)).toMatchObject(full);
    expect(await context('PUT', { resource_ids: ['s'] })).toMatchObject({ ...full, resource_ids: ['s'] });
    for (const kept of [{}, { knowledge_uuids: '' }]) {
      expect(await context('PUT', kept)).toMatchObject({ ...full, resource_ids: ['s'] });
    }
    expect(await context('GET')).toMatchObject({ ...full, resource_ids: ['s'] });
    expect(await context('PUT', { knowledge_uuids: null })).toMatchObject({ ...empty, resource_ids: ['s'] });
    expect(await context('DELETE')).toMatchObject({ deleted: true });
    expect(await context('GET')).toMatchObject(empty);
  });
});
