import { Client } from 'pg';
import { inTurn, type Figure } from './figures.js';
import { percentiles } from './latency.js';
import { oneByOne } from './load.js';
import type { BenchPlatform } from './platform.js';

const ROWS = 1_000_000;
/** Depths of the measured pages, as fractions of the list. */
const DEPTHS = [0.1, 0.9];
const PAGE = 20;
const LARGEST_PAGE = 200;
/** Depth of the measured page of summaries. */
const SUMMARY_DEPTH = 0.5;

interface SummaryPage {
  readonly items: readonly unknown[];
  readonly next_cursor: string | null;
}

/** Finished executions, one a second, newest first. Inserted by SQL: the API would take minutes. */
const FILL = `
  INSERT INTO executions (organization_id, id, execution_type, entity_id, prompt, status, response, usage,
    execution_metadata, participants, created_at, completed_at, updated_at, trigger_type, trigger_metadata, config,
    execution_environment, attempt, max_attempts)
  SELECT organization_id, 'page-' || n, 'agent', entity_id, repeat('p', 200), 'completed', repeat('r', 200), '{}',
    '{}', '[]', now() - n * interval '1 second', now(), now(), 'manual', '{}', '{}', '{}', 1, 3
  FROM executions, generate_series(1, $1::int) n WHERE id = $2`;

/** Adds a million executions beside the given one. */
async function fill({ databaseUrl }: BenchPlatform, executionId: string): Promise<void> {
  const database = new Client({ connectionString: databaseUrl });
  await database.connect();
  await database.query('SET statement_timeout = 0');
  await database.query(FILL, [ROWS, executionId]);
  await database.query('VACUUM ANALYZE executions');
  await database.end();
}

/** Lists, summaries, counts and the search by name of an organization with a million executions. */
export async function pages(
  platform: BenchPlatform,
  executionId: string,
  rounds: number,
  count: number,
): Promise<Figure[]> {
  await fill(platform, executionId);
  return [
    ...(await deepPages(platform, rounds, count)),
    ...(await deepSummaries(platform, rounds, count)),
    ...(await counts(platform, rounds, count)),
    ...(await searches(platform, executionId, rounds, count)),
  ];
}

/** A page deep in the list, by cursor and by skip, without the total; compared with the first page. */
async function deepPages(platform: BenchPlatform, rounds: number, count: number): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const depth of DEPTHS) {
    const skip = `skip=${ROWS * depth}`;
    const cursor = `cursor=${(await read(platform, `${skip}&limit=1`)).next}`;
    for (const [how, position] of [
      ['cursor', cursor],
      ['skip', skip],
    ] as const) {
      const [baseline = [], ours = []] = await inTurn(
        [
          () => oneByOne(count, () => readPage(platform, '')),
          () => oneByOne(count, () => readPage(platform, position)),
        ],
        rounds,
      );
      const name = `a page of ${PAGE} at ${depth * 100} % of 1,000,000 executions, by ${how}`;
      figures.push(...percentiles(name, 'the first page', ours, baseline));
    }
  }
  return figures;
}

/** A page deep in the summaries. They have no `skip`, so the cursor is reached page by page. */
async function deepSummaries({ call }: BenchPlatform, rounds: number, count: number): Promise<Figure[]> {
  const read = async (limit: number, cursor: string | null): Promise<SummaryPage> => {
    const position = cursor === null ? '' : `&cursor=${cursor}`;
    const page = await call<SummaryPage>('GET', `/api/v1/execution-summaries?limit=${limit}${position}`);
    if (page.items.length !== limit) throw new Error('The page is not full');
    return page;
  };
  let cursor: string | null = null;
  for (let n = 0; n < ROWS * SUMMARY_DEPTH; n += LARGEST_PAGE) cursor = (await read(LARGEST_PAGE, cursor)).next_cursor;
  const deep = cursor;
  const [baseline = [], ours = []] = await inTurn(
    [() => oneByOne(count, () => read(PAGE, null)), () => oneByOne(count, () => read(PAGE, deep))],
    rounds,
  );
  const name = `a page of ${PAGE} summaries at ${SUMMARY_DEPTH * 100} % of 1,000,000 executions, by cursor`;
  return percentiles(name, 'the first page', ours, baseline);
}

/** The bounded count of summaries, for a status that all executions have and for one that none has. */
async function counts({ call }: BenchPlatform, rounds: number, times: number): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const [status, expected] of [
    ['completed', 10_000],
    ['failed', 0],
  ] as const) {
    const page = (): Promise<unknown> => call('GET', `/api/v1/execution-summaries?limit=${PAGE}&status=${status}`);
    const counted = async (): Promise<void> => {
      const { count } = await call<{ count: number }>('GET', `/api/v1/execution-summaries/count?status=${status}`);
      if (count !== expected) throw new Error(`${count} executions were counted instead of ${expected}`);
    };
    const [baseline = [], ours = []] = await inTurn(
      [() => oneByOne(times, page), () => oneByOne(times, counted)],
      rounds,
    );
    const name = `count of ${status} executions among 1,000,000, found: ${expected.toLocaleString('en')}`;
    figures.push(...percentiles(name, 'the first page of them', ours, baseline));
  }
  return figures;
}

/** The search over all kinds: by the name of an agent, and by the id of an execution. */
async function searches(
  { call }: BenchPlatform,
  executionId: string,
  rounds: number,
  count: number,
): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const [by, text] of [
    ['name', 'bench'],
    ['id of an execution', `page-${ROWS / 2}`],
  ] as const) {
    const search = async (): Promise<void> => {
      const { items } = await call<{ items: unknown[] }>('GET', `/api/v1/search?q=${text}`);
      if (items.length === 0) throw new Error('Nothing found');
    };
    const read = (): Promise<unknown> => call('GET', `/api/v1/executions/${executionId}`);
    const [baseline = [], ours = []] = await inTurn(
      [() => oneByOne(count, read), () => oneByOne(count, search)],
      rounds,
    );
    figures.push(...percentiles(`search by ${by} beside 1,000,000 executions`, 'reading an execution', ours, baseline));
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
