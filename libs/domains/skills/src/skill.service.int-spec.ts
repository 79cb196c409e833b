import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createTestContext, ManualClock, testCaller, type TestContext } from '@app/testing';
import { SkillService } from './skill.service.js';
import { SkillsModule } from './skills.module.js';

describe('SkillService', () => {
  const clock = new ManualClock();
  let context: TestContext;
  let skills: SkillService;

  beforeAll(async () => {
    context = await createTestContext([SkillsModule], { clock });
    skills = context.get(SkillService);
  });

  afterAll(() => context.close());

  it('creates a skill with the default of each omitted field', async () => {
    const caller = testCaller();
    const created = await skills.create(caller, { name: 'first' });
    expect(created).toEqual({
      id: created.id,
      organization_id: caller.organizationId,
      name: 'first',
      type: 'custom',
      description: null,
      icon: null,
      enabled: true,
      configuration: {},
      created_at: clock.now(),
      updated_at: clock.now(),
    });
    expect(await skills.read(caller, created.id)).toEqual(created);
  });

  it('stores the configuration unchanged, including key order', async () => {
    const caller = testCaller();
    const configuration = { z: 1, a: { d: [1, 'x', null], b: 0.1 } };
    const { id } = await skills.create(caller, { name: 'exact', configuration });
    expect(JSON.stringify((await skills.read(caller, id)).configuration)).toBe(JSON.stringify(configuration));
  });

  it('lists the skills of the organization newest first, by page, type and state', async () => {
    const caller = testCaller();
    for (const [name, type] of Object.entries({ first: 'mcp', second: 'shell', third: 'mcp' })) {
      await skills.create(caller, { name, type, enabled: name !== 'third' });
      clock.advance(1);
    }
    const { items, total } = await skills.list(caller, {}, { skip: 1, limit: 5 });
    expect(items.map(({ name }) => name)).toEqual(['second', 'first']);
    expect(total).toBe(3);
    const ofType = await skills.list(caller, { type: 'mcp' }, { skip: 0, limit: 5 });
    expect(ofType.items.map(({ name }) => name)).toEqual(['third', 'first']);
    const disabled = await skills.list(caller, { enabled: false }, { skip: 0, limit: 5 });
    expect(disabled.items.map(({ name }) => name)).toEqual(['third']);
    expect(await skills.list(testCaller(), {}, { skip: 0, limit: 5 })).toEqual({ items: [], total: 0 });
  });

  it('updates the given fields and `updated_at` only; null clears a field', async () => {
    const caller = testCaller();
    const before = await skills.create(caller, { name: 'a', description: 'd', icon: 'i' });
    clock.advance(1);
    const after = await skills.update(caller, before.id, { description: null, configuration: { x: 1 } });
    expect(after).toEqual({ ...before, description: null, configuration: { x: 1 }, updated_at: clock.now() });
  });

  it('accepts two skills with the same name', async () => {
    const caller = testCaller();
    const first = await skills.create(caller, { name: 'twin' });
    await expect(skills.create(caller, { name: 'twin' })).resolves.not.toEqual(first);
  });

  it('rejects every access to a deleted skill', async () => {
    const caller = testCaller();
    const { id } = await skills.create(caller, { name: 'a' });
    await skills.delete(caller, id);
    await expect(skills.read(caller, id)).rejects.toThrow('Skill not found');
    await expect(skills.update(caller, id, { name: 'b' })).rejects.toThrow('Skill not found');
    await expect(skills.delete(caller, id)).rejects.toThrow('Skill not found');
  });

  it('rejects every access to a skill of another organization', async () => {
    const owner = testCaller();
    const stranger = testCaller();
    const created = await skills.create(owner, { name: 'mine' });
    await expect(skills.read(stranger, created.id)).rejects.toThrow('Skill not found');
    await expect(skills.update(stranger, created.id, { name: 'taken' })).rejects.toThrow('Skill not found');
    await expect(skills.delete(stranger, created.id)).rejects.toThrow('Skill not found');
    expect(await skills.read(owner, created.id)).toEqual(created);
  });
});
