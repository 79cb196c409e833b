import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { databaseTime } from '@app/database';
import { newId } from '@app/kernel';
import { createTestContext, eventually, type TestContext } from '@app/testing';
import { ModelService } from '../model.service.js';
import { ModelsModule } from '../models.module.js';
import { ModelCatalogue } from './model-catalogue.js';

const PAGE = { skip: 0, limit: 100 };
const LIST = JSON.stringify({
  data: [
    { id: 'acme/large', owned_by: 'acme' },
    { id: 'acme/small', owned_by: 'acme' },
  ],
});

/** A gateway whose every response is chosen by the test. Without a response it accepts connections and does not respond. */
class Gateway {
  respond: (path: string, response: ServerResponse) => void = () => undefined;
  readonly paths: string[] = [];
  readonly keys: (string | undefined)[] = [];
  private readonly server: Server = createServer((request, response) => {
    this.paths.push(request.url ?? '');
    this.keys.push(request.headers.authorization);
    this.respond(request.url ?? '', response);
  });

  async start(): Promise<string> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/v1`;
  }

  lists(text: string): void {
    this.respond = (path, response) => (path === '/v1/models' ? response.end(text) : response.writeHead(404).end('{}'));
  }

  stop(): void {
    this.server.closeAllConnections();
    this.server.close();
  }
}

describe('the model catalogue', () => {
  let gateway: Gateway;
  const contexts: TestContext[] = [];

  beforeEach(async () => {
    gateway = new Gateway();
    Object.assign(process.env, {
      LLM_GATEWAY_URL: await gateway.start(),
      LLM_GATEWAY_API_KEY: 'key-of-the-gateway',
      MODEL_CATALOGUE_STALE_SECONDS: '',
      DEFAULT_MODEL: '',
    });
  });

  afterEach(async () => {
    for (const context of contexts.splice(0).reverse()) await context.close();
    gateway.stop();
    for (const name of ['LLM_GATEWAY_URL', 'LLM_GATEWAY_API_KEY']) delete process.env[name];
  });

  async function startProcess(): Promise<TestContext> {
    const [first] = contexts;
    const context = await createTestContext([ModelsModule], first === undefined ? {} : { shareWith: first });
    contexts.push(context);
    return context;
  }

  const scope = { organizationId: newId() };
  const valuesIn = async (context: TestContext): Promise<string[]> =>
    (await context.get(ModelService).list(scope, {}, PAGE)).items.map(({ value }) => value);
  const refresh = (context: TestContext): Promise<void> => context.get(ModelCatalogue).refresh({ afterFailure: true });
  /** Makes the next refresh due, as if time had passed. */
  const expire = (context: TestContext): Promise<unknown> =>
    context.database.sql(`UPDATE model_catalogues SET due_at = now() - interval '1 second'`);

  it('has the models of the gateway when a process has started; the request to the gateway contains the key', async () => {
    gateway.lists(LIST);
    const context = await startProcess();
    await context.get(ModelService).start();
    const { items, total, origin } = await context.get(ModelService).list(scope, {}, PAGE);
    expect(items.map(({ value, source }) => [value, source])).toEqual([
      ['acme/large', 'gateway'],
      ['acme/small', 'gateway'],
    ]);
    expect(total).toBe(2);
    expect(origin).toEqual({ sources: ['gateway', 'stored'], ageSeconds: expect.any(Number) });
    expect(gateway.paths).toEqual(['/v1/model/info', '/v1/models']);
    expect(gateway.keys).toEqual(['Bearer key-of-the-gateway', 'Bearer key-of-the-gateway']);
  });

  it('has prices and capabilities if the gateway describes its models', async () => {
    const data = [{ model_name: 'large', model_info: { supports_vision: true, input_cost_per_token: 1e-6 } }];
    gateway.respond = (_path, response) => response.end(JSON.stringify({ data }));
    const context = await startProcess();
    await refresh(context);
    const { capabilities, pricing } = await context.get(ModelService).read(scope, 'large');
    expect({ capabilities, pricing }).toEqual({
      capabilities: { vision: true },
      pricing: { input_cost_per_token: 0.000001 },
    });
    expect(gateway.paths).toEqual(['/v1/model/info']);
  });

  it('is refreshed by a reader in the background when it is too old; the reader gets the cached models', async () => {
    gateway.lists(LIST);
    const context = await startProcess();
    await refresh(context);
    const before = await context.get(ModelService).read(scope, 'acme/large');
    const waiting: ServerResponse[] = [];
    gateway.respond = (_path, response) => waiting.push(response);
    await expire(context);
    expect(await valuesIn(await startProcess())).toEqual(['acme/large', 'acme/small']);
    await eventually(() => expect(waiting).toHaveLength(1));
    waiting[0]?.end(JSON.stringify({ data: [{ id: 'acme/large', owned_by: 'renamed' }, { id: 'new' }] }));
    await eventually(async () => expect(await valuesIn(context)).toEqual(['acme/large', 'new']));
    const after = await context.get(ModelService).read(scope, before.id);
    expect(after).toMatchObject({ id: before.id, provider: 'renamed', created_at: before.created_at });
    expect(after.updated_at.getTime()).toBeGreaterThan(before.updated_at.getTime());
  });

  it('is refreshed by one process at a time', async () => {
    const waiting: ServerResponse[] = [];
    gateway.respond = (path, response) =>
      path === '/v1/models' ? waiting.push(response) : response.writeHead(404).end();
    const processes = [await startProcess(), await startProcess(), await startProcess()];
    const refreshes = processes.flatMap((context) => [refresh(context), refresh(context)]);
    await eventually(() => expect(waiting).toHaveLength(1));
    await Promise.race(refreshes);
    for (const context of processes) expect(await valuesIn(context)).toEqual([]);
    waiting[0]?.end(LIST);
    await Promise.all(refreshes);
    expect(gateway.paths).toEqual(['/v1/model/info', '/v1/models']);
    for (const context of processes) {
      await eventually(async () => expect(await valuesIn(context)).toHaveLength(2));
    }
  });

  it('is refreshed by another process if the first one dies, and a late result of the first one is not stored', async () => {
    const waiting: ServerResponse[] = [];
    gateway.respond = (path, response) =>
      path === '/v1/models' ? waiting.push(response) : response.writeHead(404).end();
    const [frozen, other] = [await startProcess(), await startProcess()];
    const late = refresh(frozen);
    await eventually(() => expect(waiting).toHaveLength(1));
    await other.database.sql(`UPDATE model_catalogues SET claimed_until = now() - interval '1 second'`);
    gateway.lists(LIST);
    await refresh(other);
    waiting[0]?.end(JSON.stringify({ data: [{ id: 'outdated' }] }));
    await late;
    expect(await valuesIn(other)).toEqual(['acme/large', 'acme/small']);
  });

  const failures: [string, (path: string, response: ServerResponse) => void][] = [
    ['hangs', () => undefined],
    ['hangs within the body', (_path, response) => void response.write('{"data": [')],
    ['responds with 500', (_path, response) => void response.writeHead(500).end('secret details')],
    ['responds with garbage', (_path, response) => void response.end('<html>')],
    ['responds with another shape', (_path, response) => void response.end('{"data": {"id": "x"}}')],
    ['responds with ten megabytes', (_path, response) => void response.end(`{"data": "${'x'.repeat(10_000_000)}"}`)],
    ['redirects', (_path, response) => void response.writeHead(307, { Location: 'http://127.0.0.1:1/' }).end()],
    ['closes the connection', (_path, response) => void response.destroy()],
  ];
  it.each(failures)('keeps its models and delays no reader while the gateway %s', async (_what, respond) => {
    gateway.lists(LIST);
    const context = await startProcess();
    await refresh(context);
    gateway.respond = respond;
    await expire(context);
    const reader = await startProcess();
    const asked = gateway.paths.length;
    const started = performance.now();
    for (let n = 0; n < 10; n += 1) expect(await valuesIn(reader)).toEqual(['acme/large', 'acme/small']);
    // The refresh that the first reader starts takes six seconds if the gateway hangs.
    expect(performance.now() - started).toBeLessThan(5000);
    await eventually(async () => {
      const [state] = await context.database.sql<{ failures: number; open: boolean }>(
        'SELECT failures, due_at > now() AS open FROM model_catalogues',
      );
      expect(state).toEqual({ failures: 1, open: true });
    });
    expect(gateway.paths.length).toBeGreaterThan(asked);
    expect(await valuesIn(reader)).toEqual(['acme/large', 'acme/small']);
  });

  it('sends requests to a failing gateway at growing intervals, and at once when a process starts', async () => {
    const context = await startProcess();
    gateway.respond = (_path, response) => response.writeHead(500).end();
    for (const seconds of [5, 10, 20, 40, 80, 160, 300, 300]) {
      const before = await databaseTime(context.database);
      await refresh(context);
      const after = await databaseTime(context.database);
      const [row] = await context.database.sql<{ due_at: Date }>('SELECT due_at FROM model_catalogues');
      const failedAt = (row?.due_at.getTime() ?? 0) - seconds * 1000;
      expect(failedAt).toBeGreaterThanOrEqual(before.getTime() - 1);
      expect(failedAt).toBeLessThanOrEqual(after.getTime() + 1);
    }
    const asked = gateway.paths.length;
    await context.get(ModelCatalogue).refresh();
    expect(gateway.paths).toHaveLength(asked);
    gateway.lists(LIST);
    const next = await startProcess();
    await next.get(ModelService).start();
    expect(await valuesIn(next)).toHaveLength(2);
  });

  it('has no models of the gateway after the gateway has failed for too long', async () => {
    process.env['MODEL_CATALOGUE_STALE_SECONDS'] = '60';
    gateway.lists(LIST);
    const context = await startProcess();
    await refresh(context);
    await context.get(ModelService).create(scope, { value: 'mine', label: 'Mine', provider: 'p' });
    gateway.respond = (_path, response) => response.destroy();
    await expire(context);
    await refresh(context);
    expect(await valuesIn(context)).toEqual(['mine', 'acme/large', 'acme/small']);
    await context.database.sql(`UPDATE model_catalogues SET failing_since = failing_since - interval '61 seconds'`);
    const later = (await startProcess()).get(ModelService);
    const { items, total, origin } = await later.list(scope, {}, PAGE);
    expect([items.map(({ value }) => value), total, origin]).toEqual([
      ['mine'],
      1,
      { sources: ['stored'], ageSeconds: null },
    ]);
    expect((await later.readDefault(scope)).value).toBe('mine');
  });

  it('is not read if reading is switched off', async () => {
    process.env['MODEL_CATALOGUE_REFRESH_SECONDS'] = '0';
    gateway.lists(LIST);
    const context = await startProcess();
    await context.get(ModelService).start();
    delete process.env['MODEL_CATALOGUE_REFRESH_SECONDS'];
    expect(await valuesIn(context)).toEqual([]);
    expect(gateway.paths).toEqual([]);
  });

  it('has the models of the configured gateway only', async () => {
    gateway.lists(LIST);
    await refresh(await startProcess());
    const other = new Gateway();
    other.lists(JSON.stringify({ data: [{ id: 'elsewhere' }] }));
    process.env['LLM_GATEWAY_URL'] = await other.start();
    const moved = await startProcess();
    expect(await valuesIn(moved)).toEqual([]);
    await eventually(async () => expect(await valuesIn(moved)).toEqual(['elsewhere']));
    other.stop();
  });

  it('has the configured default model, which is stored for a new organization only if the gateway does not list it', async () => {
    gateway.lists(JSON.stringify({ data: [{ id: 'first', recommended: true }, { id: 'listed' }] }));
    const defaultOf = async (defaultModel: string): Promise<[string, string]> => {
      process.env['DEFAULT_MODEL'] = defaultModel;
      const models = (await startProcess()).get(ModelService);
      await models.start();
      const organization = { organizationId: newId() };
      await models.provisionDefault(organization);
      const { value, source } = await models.readDefault(organization);
      return [value, source];
    };
    expect(await defaultOf('listed')).toEqual(['listed', 'gateway']);
    expect(await defaultOf('elsewhere')).toEqual(['elsewhere', 'stored']);
    expect(await defaultOf('')).toEqual(['first', 'gateway']);
  });

  it('starts runs with a configured default that nothing lists, but returns a listed model as the default', async () => {
    gateway.lists(JSON.stringify({ data: [{ id: 'first', recommended: true }] }));
    process.env['DEFAULT_MODEL'] = 'elsewhere';
    const models = (await startProcess()).get(ModelService);
    await models.start();
    const organization = { organizationId: newId() };
    expect(await models.findDefault(organization)).toEqual({ value: 'elsewhere' });
    expect(await models.readDefault(organization)).toMatchObject({ value: 'first' });
    const stored = await models.create(organization, { value: 'elsewhere', label: 'l', provider: 'p', enabled: false });
    expect(await models.findDefault(organization)).toEqual(stored);
    expect(await models.readDefault(organization)).toEqual(stored);
  });

  it('is not empty for a new organization before the gateway has responded; later its models precede the stored one', async () => {
    gateway.respond = (_path, response) => response.writeHead(503).end();
    const context = await startProcess();
    const models = context.get(ModelService);
    await refresh(context);
    const organization = { organizationId: newId() };
    await models.provisionDefault(organization);
    expect((await models.list(organization, {}, { skip: 0, limit: 10 })).items).toMatchObject([{ value: 'default' }]);
    expect(await models.readDefault(organization)).toMatchObject({ value: 'default', source: 'stored' });
    gateway.lists(LIST);
    await context.get(ModelCatalogue).refresh({ afterFailure: true });
    await eventually(async () => expect((await models.readDefault(organization)).source).toBe('gateway'));
    const later = { organizationId: newId() };
    await models.provisionDefault(later);
    expect((await models.list(later, {}, { skip: 0, limit: 10 })).items.map(({ value }) => value)).not.toContain(
      'default',
    );
  });

  it('does not delay the end of a process', async () => {
    const context = await startProcess();
    const refreshed = refresh(context);
    await eventually(() => expect(gateway.paths).toHaveLength(1));
    const started = performance.now();
    await context.get(ModelCatalogue).onModuleDestroy();
    await refreshed;
    expect(performance.now() - started).toBeLessThan(2000);
  });
});
