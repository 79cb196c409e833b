import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { newId } from '@app/kernel';
import { createTestContext, type TestContext } from '@app/testing';
import fc from 'fast-check';
import { ModelCatalogueRepository } from './catalogue/model-catalogue.repository.js';
import { readGatewayModels } from './catalogue/gateway-models.js';
import { ModelRepository } from './model.repository.js';
import type { CreateModel, Model } from './model.types.js';
import { ModelService } from './model.service.js';
import { ModelsModule } from './models.module.js';

const GATEWAY = 'a gateway';

/** Tests stored models together with those of a gateway, without a request to a gateway. */
describe('models of an organization and of the gateway', () => {
  let context: TestContext;
  let models: ModelRepository;
  let scope: { organizationId: string };

  beforeAll(async () => {
    context = await createTestContext([ModelsModule]);
    models = context.get(ModelRepository);
  });
  beforeEach(() => {
    scope = { organizationId: newId() };
  });
  afterAll(() => context.close());

  const store = (model: Partial<CreateModel> & { value: string }): Promise<Model> =>
    context.get(ModelService).create(scope, { label: model.value, provider: 'own', ...model });

  async function listAtGateway(...entries: { id: string; recommended?: boolean; owned_by?: string }[]): Promise<void> {
    const catalogues = context.get(ModelCatalogueRepository);
    const claim = { gateway: GATEWAY, claim: newId() };
    await context.database.sql('DELETE FROM model_catalogues');
    await catalogues.claim(claim, 10, true);
    await catalogues.succeed(claim, (await readGatewayModels({ data: entries }))?.models ?? [], 60);
  }

  const find = async (idOrValue: string): Promise<[string, string] | undefined> => {
    const model = await models.find(scope, GATEWAY, idOrValue);
    return model === undefined ? undefined : [model.value, model.source];
  };

  it('are found by id and value; a stored model replaces the model of the gateway with the same value', async () => {
    await listAtGateway({ id: 'both' }, { id: 'listed' });
    const [bothId, listedId] = [
      await models.find(scope, GATEWAY, 'both'),
      await models.find(scope, GATEWAY, 'listed'),
    ].map((model) => model?.id ?? '');
    expect(await find(bothId ?? '')).toEqual(['both', 'gateway']);
    const { id } = await store({ value: 'both' });
    expect(await find('both')).toEqual(['both', 'stored']);
    expect(await find(id)).toEqual(['both', 'stored']);
    expect(await find(bothId ?? '')).toEqual(['both', 'stored']);
    expect(await find('listed')).toEqual(['listed', 'gateway']);
    expect(await find(listedId ?? '')).toEqual(['listed', 'gateway']);
    expect(await models.find(scope, null, 'listed')).toBeUndefined();
    expect(await models.find({ organizationId: newId() }, GATEWAY, id)).toBeUndefined();
    expect(await models.find({ organizationId: newId() }, GATEWAY, 'both')).toMatchObject({ source: 'gateway' });
  });

  it('have a default: the first enabled model that the gateway recommends, otherwise a stored recommended one, otherwise any', async () => {
    const preferred = async (): Promise<string | undefined> => (await models.findPreferred(scope, GATEWAY))?.value;
    await listAtGateway();
    expect(await preferred()).toBeUndefined();
    await listAtGateway({ id: 'embed' }, { id: 'b' }, { id: 'a' });
    expect(await preferred()).toBe('b');
    await store({ value: 'first', display_order: 5000 });
    await store({ value: 'b', enabled: false });
    expect(await preferred()).toBe('a');
    await store({ value: 'recommended', display_order: 6000, recommended: true });
    expect(await preferred()).toBe('recommended');
    await listAtGateway({ id: 'a' }, { id: 'c', recommended: true });
    expect(await preferred()).toBe('c');
    await store({ value: 'c', enabled: false });
    expect(await preferred()).toBe('recommended');
  });

  it('have their providers in one list', async () => {
    await listAtGateway({ id: 'x', owned_by: 'zeta' }, { id: 'y', owned_by: 'alpha' }, { id: 'z', owned_by: 'own' });
    await store({ value: 'mine' });
    await store({ value: 'y' });
    const page = { skip: 0, limit: 10 };
    expect(await models.listProviders(scope, GATEWAY, page)).toMatchObject({ items: ['own', 'zeta'], total: 2 });
    const second = await models.listProviders(scope, GATEWAY, { skip: 1, limit: 1 });
    expect(second).toMatchObject({ items: ['zeta'], total: 2 });
  });

  it('are listed like one sorted and filtered list of both, on any page', async () => {
    const name = fc.constantFrom(...'abcdefghij');
    const provider = fc.constantFrom('one', 'two');
    const stored = fc.uniqueArray(
      fc.record({
        value: name,
        provider,
        display_order: fc.constantFrom(1, 1000, 1002, 9000),
        enabled: fc.boolean(),
        recommended: fc.boolean(),
        compatible_runtimes: fc.subarray(['default', 'acme_code']),
      }),
      { selector: ({ value }) => value },
    );
    const listed = fc.uniqueArray(fc.record({ id: name, owned_by: provider, recommended: fc.boolean() }), {
      selector: ({ id }) => id,
    });
    const filter = fc.record(
      {
        provider,
        type: fc.constantFrom('text-generation', 'embedding'),
        runtime: fc.constantFrom('default', 'acme_code'),
        enabled: fc.boolean(),
        recommended: fc.boolean(),
      },
      { requiredKeys: [] },
    );
    await fc.assert(
      fc.asyncProperty(stored, listed, filter, fc.nat(12), fc.integer({ min: 1, max: 12 }), async (...drawn) => {
        const [own, entries, asked, skip, limit] = drawn;
        scope = { organizationId: newId() };
        await listAtGateway(...entries);
        const rows: Model[] = [];
        for (const model of own) rows.push(await store(model));
        const taken = new Set(own.map(({ value }) => value));
        for (const { id } of entries) {
          const model = taken.has(id) ? undefined : await models.find(scope, GATEWAY, id);
          if (model !== undefined) rows.push(model);
        }
        const matching = rows
          .filter((model) => asked.provider === undefined || model.provider === asked.provider)
          .filter((model) => asked.type === undefined || model.model_type === asked.type)
          .filter((model) => asked.runtime === undefined || model.compatible_runtimes.includes(asked.runtime))
          .filter((model) => asked.enabled === undefined || model.enabled === asked.enabled)
          .filter((model) => asked.recommended === undefined || model.recommended === asked.recommended)
          .sort(
            (one, other) =>
              one.display_order - other.display_order ||
              other.created_at.getTime() - one.created_at.getTime() ||
              (one.id < other.id ? 1 : -1),
          );
        const listed = await models.list(scope, GATEWAY, asked, { skip, limit });
        expect(listed).toMatchObject({ items: matching.slice(skip, skip + limit), total: matching.length });
        const { nextCursor: cursor } = listed;
        expect(cursor === undefined).toBe(skip + limit >= matching.length);
        if (cursor === undefined) return;
        const next = await models.list(scope, GATEWAY, asked, { skip: 0, limit, cursor, total: false });
        expect(next).toMatchObject({ items: matching.slice(skip + limit, skip + 2 * limit), total: undefined });
      }),
      { numRuns: 40 },
    );
  });
});
