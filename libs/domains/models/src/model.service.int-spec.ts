import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DomainError, newId } from '@app/kernel';
import { createTestContext, type TestContext } from '@app/testing';
import { ModelService } from './model.service.js';
import { ModelsModule } from './models.module.js';

const FIRST_PAGE = { skip: 0, limit: 100 };

describe('ModelService', () => {
  let context: TestContext;
  let models: ModelService;

  beforeAll(async () => {
    context = await createTestContext([ModelsModule]);
    models = context.get(ModelService);
  });

  afterAll(() => context.close());

  it('stores free-form objects unchanged, including key order', async () => {
    const scope = { organizationId: newId() };
    const pricing = { z: 1, a: { d: [1, 'x', null], b: 0.1 } };
    const created = await models.create(scope, { value: 'm', label: 'M', provider: 'p', pricing });
    const read = await models.read(scope, created.id);
    expect(JSON.stringify(read.pricing)).toBe(JSON.stringify(pricing));
    expect(read).toEqual(created);
  });

  it('lists models by display order, filtered by provider, type and runtime', async () => {
    const scope = { organizationId: newId() };
    const common = { label: 'x', provider: 'one', compatible_runtimes: ['default', 'acme_code'] };
    await models.create(scope, { ...common, value: 'late', display_order: 2 });
    await models.create(scope, { ...common, value: 'early', display_order: 1 });
    await models.create(scope, { ...common, value: 'other', provider: 'two' });
    await models.create(scope, { ...common, value: 'vector', model_type: 'embedding' });
    const filter = { provider: 'one', type: 'text-generation', runtime: 'acme_code' };
    const listed = await models.list(scope, filter, FIRST_PAGE);
    expect(listed.items.map(({ value }) => value)).toEqual(['early', 'late']);
    expect(listed.total).toBe(2);
  });

  it('rejects reading, updating and deleting a model of another organization', async () => {
    const owner = { organizationId: newId() };
    const stranger = { organizationId: newId() };
    const { id } = await models.create(owner, { value: 'mine', label: 'Mine', provider: 'p' });
    await expect(models.read(stranger, id)).rejects.toThrow('Model not found');
    await expect(models.update(stranger, id, { label: 'taken' })).rejects.toThrow('Model not found');
    await expect(models.delete(stranger, id)).rejects.toThrow('Model not found');
    expect((await models.read(owner, 'mine')).label).toBe('Mine');
  });

  it('rejects a value that another model of the organization has', async () => {
    const scope = { organizationId: newId() };
    const model = { value: 'same', label: 'S', provider: 'p' };
    await models.create(scope, model);
    const second = await models.create(scope, model).catch((error: unknown) => error);
    expect(second).toBeInstanceOf(DomainError);
    expect((second as DomainError).kind).toBe('conflict');
    await expect(models.create({ organizationId: newId() }, model)).resolves.toBeDefined();
  });

  it('updates the given fields only; null clears a field', async () => {
    const scope = { organizationId: newId() };
    const before = await models.create(scope, { value: 'v', label: 'L', provider: 'p', description: 'd', logo: 'l' });
    const after = await models.update(scope, before.id, { description: null });
    expect(after).toEqual({ ...before, description: null, updated_at: after.updated_at });
  });

  it('returns the first enabled recommended model as the default', async () => {
    const scope = { organizationId: newId() };
    await models.create(scope, { value: 'first', label: 'F', provider: 'p', display_order: 1 });
    await models.create(scope, { value: 'best', label: 'B', provider: 'p', recommended: true });
    await models.create(scope, {
      value: 'off',
      label: 'O',
      provider: 'p',
      recommended: true,
      enabled: false,
      display_order: 0,
    });
    expect((await models.readDefault(scope)).value).toBe('best');
  });
});
