import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AgentsModule } from '@app/agents';
import { ExecutionsModule } from '@app/executions';
import { DomainError } from '@app/kernel';
import { TeamsModule } from '@app/teams';
import { createTestContext, ManualClock, testCaller, type TestContext } from '@app/testing';
import { PoliciesModule } from '../policies.module.js';
import { PolicyService } from './policy.service.js';
import { PolicyVersionService } from '../versions/policy-version.service.js';

const firstPage = { skip: 0, limit: 100 };
const CONTENT = 'package app\n\nallow if input.ok # exactly \t\r\n';

describe('policies', () => {
  const clock = new ManualClock();
  let context: TestContext;
  let policies: PolicyService;
  let versions: PolicyVersionService;

  beforeAll(async () => {
    context = await createTestContext([AgentsModule, TeamsModule, ExecutionsModule, PoliciesModule], { clock });
    policies = context.get(PolicyService);
    versions = context.get(PolicyVersionService);
  });

  afterAll(() => context.close());

  it('are created with defaults for omitted fields, and read back unchanged', async () => {
    const caller = testCaller();
    const created = await policies.create(caller, { name: 'guard' });
    expect(created).toEqual({
      id: created.id,
      organization_id: caller.organizationId,
      name: 'guard',
      description: null,
      enabled: true,
      tags: [],
      policy_type: 'rego',
      policy_content: '',
      metadata: {},
      version: 1,
      association_count: 0,
      created_by: caller.userId,
      updated_by: caller.userId,
      created_at: clock.now(),
      updated_at: clock.now(),
    });
    expect(await policies.read(caller, created.id)).toEqual(created);
  });

  it('keep text and metadata exactly as sent', async () => {
    const caller = testCaller();
    const metadata = { z: 1, a: { y: [null], b: 0.1 } };
    const { id } = await policies.create(caller, { name: 'exact', policy_content: CONTENT, metadata });
    const read = await policies.read(caller, id);
    expect(read.policy_content).toBe(CONTENT);
    expect(JSON.stringify(read.metadata)).toBe(JSON.stringify(metadata));
  });

  it('are neither created nor updated with a text that does not compile, and every fault is returned', async () => {
    const caller = testCaller();
    const policy_content = 'package app\n\nallow if x == 1\ndeny if y\n';
    const rejected = await policies.create(caller, { name: 'bad', policy_content }).catch((error: unknown) => error);
    expect(rejected).toBeInstanceOf(DomainError);
    expect((rejected as DomainError).faults).toEqual([
      {
        path: ['policy_content'],
        msg: 'line 3, column 10: rego_unsafe_var_error: var x is unsafe',
        type: 'value_error',
      },
      {
        path: ['policy_content'],
        msg: 'line 4, column 9: rego_unsafe_var_error: var y is unsafe',
        type: 'value_error',
      },
    ]);
    expect((await policies.list(caller, {}, firstPage)).total).toBe(0);
    const good = await policies.create(caller, { name: 'good', policy_content: CONTENT });
    await expect(policies.update(caller, good.id, { name: 'x', policy_content })).rejects.toThrow('line 3, column 10');
    expect(await policies.read(caller, good.id)).toEqual(good);
    expect((await versions.list(caller, good.id, firstPage)).total).toBe(1);
  });

  it('are updated partially, and each update creates a version with its author', async () => {
    const [creator, editor] = [testCaller(), testCaller()];
    const caller = { ...editor, organizationId: creator.organizationId };
    const first = await policies.create(creator, { name: 'a', description: 'd', tags: ['t'], policy_content: CONTENT });
    clock.advance(5);
    const second = await policies.update(caller, first.id, { description: null, enabled: false });
    expect(second).toEqual({
      ...first,
      description: null,
      enabled: false,
      version: 2,
      updated_by: editor.userId,
      updated_at: clock.now(),
    });
    const { items, total } = await versions.list(creator, first.id, firstPage);
    expect(total).toBe(2);
    expect(items).toEqual([
      expect.objectContaining({ version: 2, enabled: false, description: null, created_by: editor.userId }),
      expect.objectContaining({ version: 1, enabled: true, description: 'd', created_by: creator.userId }),
    ]);
    expect(await versions.read(creator, first.id, '1')).toEqual({
      policy_id: first.id,
      organization_id: creator.organizationId,
      version: 1,
      name: 'a',
      description: 'd',
      enabled: true,
      tags: ['t'],
      policy_type: 'rego',
      policy_content: CONTENT,
      metadata: {},
      created_by: creator.userId,
      created_at: first.created_at,
    });
  });

  it('lose no versions and no changes in concurrent updates', async () => {
    const caller = testCaller();
    const { id } = await policies.create(caller, { name: 'busy' });
    const names = Array.from({ length: 8 }, (_, n) => `name ${n}`);
    await Promise.all([
      ...names.map((name) => policies.update(caller, id, { name })),
      policies.update(caller, id, { tags: ['kept'] }),
    ]);
    const { items } = await versions.list(caller, id, firstPage);
    expect(items.map(({ version }) => version)).toEqual([10, 9, 8, 7, 6, 5, 4, 3, 2, 1]);
    expect(new Set(items.map(({ name }) => name))).toEqual(new Set(['busy', ...names]));
    expect(await policies.read(caller, id)).toMatchObject({ version: 10, tags: ['kept'], name: items[0]?.name });
  });

  it('are listed newest first in pages, by state and by a case-insensitive part of name or description', async () => {
    const caller = testCaller();
    await policies.create(caller, { name: 'Guard 100%', description: null });
    clock.advance(1);
    await policies.create(caller, { name: 'other', description: 'a GUARD too', enabled: false });
    clock.advance(1);
    await policies.create(caller, { name: 'third', description: 'nothing' });
    const names = async (filter: object, page = firstPage): Promise<string[]> =>
      (await policies.list(caller, filter, page)).items.map(({ name }) => name);
    expect(await names({})).toEqual(['third', 'other', 'Guard 100%']);
    expect(await names({ search: 'guard' })).toEqual(['other', 'Guard 100%']);
    expect(await names({ search: '0%' })).toEqual(['Guard 100%']);
    expect(await names({ search: '%d' })).toEqual([]);
    expect(await names({ search: 'guard', enabled: true })).toEqual(['Guard 100%']);
    expect(await policies.list(caller, { enabled: true }, { skip: 1, limit: 1 })).toMatchObject({
      items: [{ name: 'Guard 100%' }],
      total: 2,
    });
  });

  it('keep their versions after deletion', async () => {
    const caller = testCaller();
    const { id } = await policies.create(caller, { name: 'gone', policy_content: CONTENT });
    await policies.delete(caller, id);
    await expect(policies.read(caller, id)).rejects.toThrow('Policy not found');
    await expect(policies.delete(caller, id)).rejects.toThrow('Policy not found');
    await expect(versions.list(caller, id, firstPage)).rejects.toThrow('Policy not found');
    expect(await versions.find(caller, id, 1)).toMatchObject({ policy_content: CONTENT });
  });

  it('reject versions that do not exist or are not numbers', async () => {
    const caller = testCaller();
    const { id } = await policies.create(caller, { name: 'one' });
    for (const version of ['0', '2', '-1', '1.0', '01', 'x', '99999999999999999999']) {
      await expect(versions.read(caller, id, version)).rejects.toThrow('Policy version not found');
    }
  });

  it('cannot be read, changed or deleted from another organization', async () => {
    const owner = testCaller();
    const stranger = testCaller();
    const mine = await policies.create(owner, { name: 'mine' });
    await expect(policies.read(stranger, mine.id)).rejects.toThrow('Policy not found');
    await expect(policies.update(stranger, mine.id, { name: 'taken' })).rejects.toThrow('Policy not found');
    await expect(policies.delete(stranger, mine.id)).rejects.toThrow('Policy not found');
    await expect(versions.list(stranger, mine.id, firstPage)).rejects.toThrow('Policy not found');
    await expect(versions.read(stranger, mine.id, '1')).rejects.toThrow('Policy not found');
    expect(await versions.find(stranger, mine.id, 1)).toBeUndefined();
    expect(await policies.list(stranger, {}, firstPage)).toEqual({ items: [], total: 0 });
    expect(await policies.read(owner, mine.id)).toEqual(mine);
  });
});
