import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ExecutionsModule } from '@app/executions';
import { OpenGateModule } from '@app/executions/testing';
import { createTestContext, ManualClock, testCaller, type TestContext } from '@app/testing';
import fc from 'fast-check';
import { ResourcesModule } from '../resources.module.js';
import { MAX_MATCHES } from './knowledge.sql.js';
import { KnowledgeService } from './knowledge.service.js';
import { MAX_CONTENT_BYTES, type KnowledgeFilter } from './knowledge.types.js';

const PAGE = { skip: 0, limit: 10 };
/** Returns the longest content that begins with `start` and repeats the units. */
const filled = (start: string, unit: (n: number) => string): string => {
  const units = [start];
  let left = MAX_CONTENT_BYTES - Buffer.byteLength(start);
  for (let next = unit(0); left >= Buffer.byteLength(next); next = unit(units.length - 1)) {
    units.push(next);
    left -= Buffer.byteLength(next);
  }
  return units.join('');
};

describe('KnowledgeService', () => {
  const clock = new ManualClock();
  let context: TestContext;
  let knowledge: KnowledgeService;

  beforeAll(async () => {
    context = await createTestContext([OpenGateModule, ExecutionsModule, ResourcesModule], { clock });
    knowledge = context.get(KnowledgeService);
  });

  afterAll(() => context.close());

  it('finds entries by their words, the best match first, within the organization', async () => {
    const [caller, other] = [testCaller(), testCaller()];
    const find = async (text: string, filter: KnowledgeFilter = {}): Promise<string[]> =>
      (await knowledge.list(caller, { ...filter, text }, PAGE)).items.map(({ name }) => name);
    await knowledge.create(caller, { name: 'Refunds', content: 'Paid within 14 days.', tags: ['shop'] });
    await knowledge.create(caller, { name: 'Orders', content: 'Ask for a refund of an order, or cancel it.' });
    await knowledge.create(caller, { name: 'Offices', description: 'Where we are', content: 'Bergen and Oslo' });
    await knowledge.create(other, { name: 'Refunds of another organization' });
    expect(await find('refund')).toEqual(['Refunds', 'Orders']);
    expect(await find('refund -cancel')).toEqual(['Refunds']);
    expect(await find('"bergen and oslo" or shop')).toEqual(expect.arrayContaining(['Offices', 'Refunds']));
    expect(await find('refund', { tag: 'shop' })).toEqual(['Refunds']);
    expect(await find('the')).toEqual([]);
    expect(await find('-refund')).toEqual(['Offices']);
    expect(await knowledge.list(caller, { text: 'refund' }, { skip: 1, limit: 1 })).toMatchObject({
      items: [{ name: 'Orders', size: 43 }],
      total: 2,
    });
  });

  it('rejects fields that are too large, at creation and at an update, and stores nothing', async () => {
    const caller = testCaller();
    const tooLarge = { description: 'd'.repeat(MAX_CONTENT_BYTES), content: 'é'.repeat(MAX_CONTENT_BYTES) };
    const faults = [{ path: ['content'] }, { path: ['description'] }];
    await expect(knowledge.create(caller, { name: 'a', ...tooLarge })).rejects.toMatchObject({ faults });
    const { id } = await knowledge.create(caller, { name: 'b', content: 'kept' });
    await expect(knowledge.update(caller, id, tooLarge)).rejects.toMatchObject({ faults });
    expect((await knowledge.list(caller, {}, PAGE)).items).toMatchObject([{ name: 'b', description: null, size: 4 }]);
  });

  it('finds a changed entry only by its new words, and no longer after its deletion', async () => {
    const caller = testCaller();
    const total = async (text: string): Promise<number | undefined> =>
      (await knowledge.list(caller, { text }, PAGE)).total;
    const { id } = await knowledge.create(caller, { name: 'a', content: 'giraffe' });
    await knowledge.update(caller, id, { content: 'elephant' });
    expect([await total('giraffe'), await total('elephant')]).toEqual([0, 1]);
    await knowledge.update(caller, id, { content: null });
    expect(await total('elephant')).toBe(0);
    await knowledge.delete(caller, id);
    expect(await total('a')).toBe(0);
    await expect(knowledge.update(caller, id, { name: 'b' })).rejects.toMatchObject({ code: 'knowledge_not_found' });
  });

  it('continues a search by its cursor, even between equal ranks', async () => {
    const caller = testCaller();
    for (let n = 0; n < 7; n += 1) {
      await knowledge.create(caller, { name: `entry ${n}`, content: 'lion '.repeat(1 + (n % 3)) });
    }
    const all = await knowledge.list(caller, { text: 'lion' }, PAGE);
    const walked: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await knowledge.list(caller, { text: 'lion' }, { skip: 0, limit: 2, ...(cursor && { cursor }) });
      walked.push(...page.items.map(({ id }) => id));
      cursor = page.nextCursor;
    } while (cursor !== undefined);
    expect(walked).toEqual(all.items.map(({ id }) => id));
    expect(walked).toHaveLength(7);
  });

  it('ranks and counts only the newest matches of a search with very many, with and without a tag', async () => {
    const caller = testCaller();
    const older = await knowledge.create(caller, { name: 'tiger tiger', tags: ['old'] });
    const fill = `INSERT INTO knowledge (id, organization_id, name, tags, metadata, created_at, updated_at)
      SELECT $1 || lpad(n::text, 6, '0'), $2, 'tiger', '{}', '{}', now(), now() FROM generate_series(1, $3::int) n`;
    await context.database.sql(fill, [`${older.id}-`, caller.organizationId, MAX_MATCHES]);
    const found = await knowledge.list(caller, { text: 'tiger' }, PAGE);
    expect(found.total).toBe(MAX_MATCHES);
    expect(found.items.map(({ name }) => name)).not.toContain('tiger tiger');
    expect((await knowledge.list(caller, { text: 'tiger', tag: 'old' }, PAGE)).items).toMatchObject([{ id: older.id }]);
  });

  it('accepts any text as a search', async () => {
    const caller = testCaller();
    await knowledge.create(caller, { name: 'one' });
    const text = fc.oneof(
      fc.string({ unit: 'grapheme', maxLength: 500 }).filter((value) => !value.includes('\0')),
      fc
        .array(fc.constantFrom('"', '-', ' or ', ' ', "'", '\\', ':*', '&', '|', '!', '(', ')', '<->', 'a'))
        .map((all) => all.join('')),
      fc.constantFrom(
        '- '.repeat(250),
        'x'.repeat(500),
        '😀'.repeat(500),
        'a-'.repeat(250),
        '"'.repeat(500),
        'a or '.repeat(100),
      ),
    );
    await fc.assert(
      fc.asyncProperty(text, async (value) => {
        await expect(knowledge.list(caller, { text: value }, PAGE)).resolves.toBeDefined();
      }),
      { numRuns: 100 },
    );
  });

  it.each([
    ['distinct words', (n: number) => `word${n} `],
    ['compound words', (n: number) => `a${n}-b${n}-c${n} `],
    ['addresses', (n: number) => `https://host${n}.example.com/path/${n}?q=${n} mail${n}@example.com `],
    ['hyphens', () => 'a-'],
    ['dots', () => 'a.'],
    ['slashes', () => 'a/'],
    ['digits', () => '1'],
    ['tags', () => '<a '],
    ['one word', () => 'x'],
    ['Chinese', (n: number) => String.fromCodePoint(0x4e00 + (n % 20_000))],
  ])('stores and finds 1 MiB of %s', async (_kind, unit) => {
    const caller = testCaller();
    const content = filled('zebra ', unit);
    const { id } = await knowledge.create(caller, { name: 'large', content });
    expect((await knowledge.list(caller, { text: 'zebra' }, PAGE)).items.map((entry) => entry.id)).toEqual([id]);
    expect((await knowledge.read(caller, id)).content).toBe(content);
  });
});
