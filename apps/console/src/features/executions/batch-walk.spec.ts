import { beforeEach, describe, expect, it } from '@jest/globals';
import { BatchWalk, type BulkResult } from './batch-walk';

interface Sent {
  readonly ids: string[];
  readonly key: string;
}

const NO_ANSWER = new TypeError('Failed to fetch');
const PAGES = [
  { ids: ['a', 'b'], next: '1' },
  { ids: ['c'], next: null },
];

const resultOf = (execution_id: string, status = 200): BulkResult => ({
  execution_id,
  ok: status === 200,
  status,
  detail: status === 200 ? null : 'The database is unavailable',
  new_execution_id: null,
});

describe('a walk in batches', () => {
  let sent: Sent[];
  let final: string[];

  beforeEach(() => {
    sent = [];
    final = [];
  });

  /** Answers the requests in this order, and then accepts all. */
  function walkWith(...answers: (Error | BulkResult[])[]): BatchWalk {
    return new BatchWalk({
      readPage: async (cursor) => PAGES[Number(cursor ?? 0)] ?? { ids: [], next: null },
      apply: async (ids, key) => {
        sent.push({ ids, key });
        const answer = answers.shift() ?? ids.map((id) => resultOf(id));
        if (answer instanceof Error) throw answer;
        return answer;
      },
    });
  }

  const step = (walk: BatchWalk): Promise<void> =>
    walk.step((results) => void final.push(...results.map(({ execution_id }) => execution_id)));

  it('takes page after page, each under a key of its own', async () => {
    const walk = walkWith();
    await step(walk);
    expect(walk.isDone).toBe(false);
    await step(walk);
    expect(walk.isDone).toBe(true);
    expect(sent.map(({ ids }) => ids)).toEqual([['a', 'b'], ['c']]);
    expect(new Set(sent.map(({ key }) => key)).size).toBe(2);
  });

  it('sends the same ids under the same key after an answer was lost, also the last one', async () => {
    const walk = walkWith(NO_ANSWER, [resultOf('a'), resultOf('b')], NO_ANSWER);
    await expect(step(walk)).rejects.toBe(NO_ANSWER);
    expect(final).toEqual([]);
    await step(walk);
    expect(sent[1]).toEqual(sent[0]);
    await expect(step(walk)).rejects.toBe(NO_ANSWER);
    expect(walk.isDone).toBe(false);
    await step(walk);
    expect(sent[3]).toEqual(sent[2]);
    expect(walk.isDone).toBe(true);
    expect(final).toEqual(['a', 'b', 'c']);
  });

  it('stops at failures of the server, and repeats only these under another key', async () => {
    const walk = walkWith([resultOf('a'), resultOf('b', 503)]);
    await expect(step(walk)).rejects.toMatchObject({ status: 503, body: { detail: 'The database is unavailable' } });
    expect(final).toEqual(['a']);
    await step(walk);
    expect(sent[1]?.ids).toEqual(['b']);
    expect(sent[1]?.key).not.toBe(sent[0]?.key);
    expect(final).toEqual(['a', 'b']);
    await step(walk);
    expect(walk.isDone).toBe(true);
  });

  it('goes on after refusals, which are final', async () => {
    const walk = walkWith([resultOf('a', 409), resultOf('b')]);
    await step(walk);
    await step(walk);
    expect(final).toEqual(['a', 'b', 'c']);
  });

  it('is done after an empty list, for which nothing is sent', async () => {
    const walk = new BatchWalk({
      readPage: async () => ({ ids: [], next: null }),
      apply: async () => {
        throw NO_ANSWER;
      },
    });
    await step(walk);
    expect(walk.isDone).toBe(true);
  });
});
