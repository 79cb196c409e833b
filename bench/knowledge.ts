import { Client } from 'pg';
import { inTurn, type Figure } from './figures.js';
import { percentiles } from './latency.js';
import { oneByOne } from './load.js';
import type { BenchPlatform } from './platform.js';

const ENTRIES = 100_000;

/**
 * Entries of about 600 characters. `every` is in all of them, `tenth` in a tenth, `rareN` in ten; each of the other
 * words is in some of them. Inserted by SQL: the API would take minutes.
 */
const FILL = `
  INSERT INTO knowledge (id, organization_id, name, content, tags, metadata, created_at, updated_at)
  SELECT 'filled-' || n, organization_id, 'Entry ' || n,
    concat_ws(' ', 'every', CASE WHEN n % 10 = 0 THEN 'tenth' END, 'rare' || n / 10,
      (SELECT string_agg('word' || (n * 7 + k * k * 13) % 5000, ' ') FROM generate_series(1, 70) k)),
    '{}', '{}', now() - n * interval '1 second', now()
  FROM knowledge, generate_series(1, $1::int) n WHERE id = $2`;

/** A look-up in the index without page, rank and count. */
const LOOK_UP = `SELECT knowledge_id FROM knowledge_vectors WHERE vector @@ websearch_to_tsquery('english', $1) LIMIT 20`;

const SEARCHES: readonly (readonly [text: string, found: string])[] = [
  ['rare77', '10 of 100,000 entries found'],
  ['tenth word77', 'a few hundred of 100,000 entries found'],
  ['tenth', '10,000 of 100,000 entries found'],
  ['every', 'all of 100,000 entries found'],
];

/** A page of a search with its total, compared with a look-up in the index. */
export async function knowledgeSearch(
  { call, databaseUrl }: BenchPlatform,
  rounds: number,
  count: number,
): Promise<Figure[]> {
  const { id } = await call<{ id: string }>('POST', '/api/v1/knowledge', { name: 'first' });
  const database = new Client({ connectionString: databaseUrl });
  await database.connect();
  await database.query('SET statement_timeout = 0');
  await database.query(FILL, [ENTRIES, id]);
  await database.query('VACUUM ANALYZE knowledge, knowledge_vectors');
  const figures: Figure[] = [];
  for (const [text, found] of SEARCHES) {
    const search = async (): Promise<void> => {
      const path = `/api/v1/knowledge?limit=20&q=${encodeURIComponent(text)}`;
      if ((await call<unknown[]>('GET', path)).length === 0) throw new Error('Nothing found');
    };
    const lookUp = async (): Promise<void> => void (await database.query(LOOK_UP, [text]));
    const [baseline = [], ours = []] = await inTurn(
      [() => oneByOne(count, lookUp), () => oneByOne(count, search)],
      rounds,
    );
    figures.push(
      ...percentiles(`search: ${found}`, 'a look-up of 20 ids in the index, on one connection', ours, baseline),
    );
  }
  await database.end();
  return figures;
}
