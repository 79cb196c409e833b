import { Client } from 'pg';
import { inTurn, type Figure } from './figures.js';
import { percentiles } from './latency.js';
import { oneByOne } from './load.js';
import type { BenchPlatform } from './platform.js';

const ROWS = 1_000_000;
/** Depths of the measured pages, as parts of the list. */
const DEPTHS = [0.1, 0.9];
const PAGE = 20;

/** Finished executions, one a second, newest first. Inserted by SQL: the API would take minutes. */
const FILL = `
  INSERT INTO executions (organization_id, id, execution_type, entity_id, prompt, status, response, usage,
    execution_metadata, participants, created_at, completed_at, updated_at, trigger_type, trigger_metadata, config,
    execution_environment, attempt, max_attempts)
  SELECT organization_id, 'page-' || n, 'agent', entity_id, repeat('p', 200), 'completed', repeat('r', 200), '{}',
    '{}', '[]', now() - n * interval '1 second', now(), now(), 'manual', '{}', '{}', '{}', 1, 3
  FROM executions, generate_series(1, $1::int) n WHERE id = $2`;

/** A page deep in a list of a million executions, by cursor and by skip, without the total; beside the first page. */
export async function pages(
  platform: BenchPlatform,
  executionId: string,
  rounds: number,
  count: number,
): Promise<Figure[]> {
  const database = new Client({ connectionString: platform.databaseUrl });
  await database.connect();
  await database.query(FILL, [ROWS, executionId]);
  await database.query('VACUUM ANALYZE executions');
  await database.end();
  const figures: Figure[] = [];
  for (const depth of DEPTHS) {
    const skip = `skip=${ROWS * depth}`;
    const cursor = `cursor=${(await read(platform, `${skip}&limit=1`)).next}`;
    for (const [how, position] of [
      ['cursor', cursor],
      ['skip', skip],
    ] as const) {
      const [limit = [], ours = []] = await inTurn(
        [
          () => oneByOne(count, () => readPage(platform, '')),
          () => oneByOne(count, () => readPage(platform, position)),
        ],
        rounds,
      );
      const name = `a page of ${PAGE} at ${depth * 100} % of 1,000,000 executions, by ${how}`;
      figures.push(...percentiles(name, 'the first page', ours, limit));
    }
  }
  return figures;
}

async function readPage(platform: BenchPlatform, position: string): Promise<void> {
  const { length } = await read(platform, `limit=${PAGE}&${position}`);
  if (length !== PAGE) throw new Error('The page is not full');
}

async function read({ url, key }: BenchPlatform, query: string): Promise<{ length: number; next: string }> {
  const headers = { Authorization: `Bearer ${key}` };
  const response = await fetch(`${url}/api/v1/executions?total=false&${query}`, { headers });
  if (!response.ok) throw new Error(`The list returned ${response.status}`);
  const { length } = (await response.json()) as unknown[];
  return { length, next: response.headers.get('x-next-cursor') ?? '' };
}
