import { inTurn, type Figure } from './figures.js';
import { percentiles } from './latency.js';
import { oneByOne } from './load.js';
import type { BenchPlatform } from './platform.js';

const SHORT = 10;
const LONG = 5000;
const PAGE = 50;
/** Messages per request while a conversation is filled. */
const BATCH = 1000;

/**
 * Writes of one message to a conversation of 5,000 messages, and pages at its end, compared with a short conversation.
 */
export async function conversations(platform: BenchPlatform, rounds: number, count: number): Promise<Figure[]> {
  const long = await newConversation(platform, LONG);
  return [...(await appends(platform, long, rounds, count)), ...(await lastPages(platform, long, rounds, count))];
}

async function appends(platform: BenchPlatform, long: string, rounds: number, count: number): Promise<Figure[]> {
  // Each of the short conversations receives only a few messages, so it remains short.
  const short = await Promise.all(Array.from({ length: Math.ceil(count / 5) }, () => newConversation(platform, SHORT)));
  let turn = 0;
  const [baseline = [], ours = []] = await inTurn(
    [
      () => oneByOne(count, () => append(platform, short[(turn += 1) % short.length] ?? '', 1)),
      () => oneByOne(count, () => append(platform, long, 1)),
    ],
    rounds,
  );
  return percentiles('write of one message to a conversation of 5,000', 'to conversations of 10', ours, baseline);
}

async function lastPages(platform: BenchPlatform, long: string, rounds: number, count: number): Promise<Figure[]> {
  const skip = `skip=${LONG - PAGE - 1}`;
  const { next } = await read(platform, long, `limit=1&${skip}`);
  const first = await newConversation(platform, PAGE);
  const figures: Figure[] = [];
  for (const [how, position] of [
    ['cursor', `cursor=${next}`],
    ['skip', skip],
  ] as const) {
    const [baseline = [], ours = []] = await inTurn(
      [
        () => oneByOne(count, () => readPage(platform, first, '')),
        () => oneByOne(count, () => readPage(platform, long, position)),
      ],
      rounds,
    );
    const name = `a page of ${PAGE} at the end of ${LONG.toLocaleString('en')} messages, by ${how}`;
    figures.push(...percentiles(name, `a conversation of ${PAGE}`, ours, baseline));
  }
  return figures;
}

async function newConversation(platform: BenchPlatform, length: number): Promise<string> {
  const { execution_id: id } = await platform.call<{ execution_id: string }>('POST', '/api/v1/executions/create', {
    prompt: 'x',
  });
  for (let left = length; left > 0; left -= BATCH) await append(platform, id, Math.min(left, BATCH));
  return id;
}

async function append({ call }: BenchPlatform, executionId: string, count: number): Promise<void> {
  const messages = Array.from({ length: count }, () => ({
    message_id: crypto.randomUUID(),
    role: 'assistant',
    content: 'The answer of an agent, a few sentences long. '.repeat(10),
  }));
  await call('POST', `/api/v1/executions/${executionId}/messages`, { messages });
}

async function readPage(platform: BenchPlatform, executionId: string, position: string): Promise<void> {
  const { length } = await read(platform, executionId, `limit=${PAGE}&${position}`);
  if (length !== PAGE) throw new Error('The page is not full');
}

async function read(
  { url, key }: BenchPlatform,
  executionId: string,
  query: string,
): Promise<{ length: number; next: string }> {
  const headers = { Authorization: `Bearer ${key}` };
  const response = await fetch(`${url}/api/v1/executions/${executionId}/messages?${query}`, { headers });
  if (!response.ok) throw new Error(`The list returned ${response.status}`);
  const { length } = (await response.json()) as unknown[];
  return { length, next: response.headers.get('x-next-cursor') ?? '' };
}
