import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { GroupCommit, type ReportResult } from './group-commit.js';

interface Item {
  readonly id: number;
  readonly key: string;
  readonly holder: string;
  readonly bytes: number;
  readonly isFaulty?: boolean;
}

const LIMITS = { maxItems: 4, maxBytes: 100, maxInFlight: 2 };

/** Writes that the test completes. */
class Writes {
  readonly begun: Item[][] = [];
  private readonly pending: (() => void)[] = [];

  readonly commits = new GroupCommit<Item, number>((items, report) => this.write(items, report), {
    keyOf: ({ key }) => key,
    holderOf: ({ holder }) => holder,
    bytesOf: ({ bytes }) => bytes,
    ...LIMITS,
  });

  constructor(private readonly failure: Error = Object.assign(new Error('Not storable'), { code: '22P05' })) {}

  add(items: readonly Item[]): Promise<PromiseSettledResult<number>[]> {
    return Promise.allSettled(items.map((item) => this.commits.add(item)));
  }

  /** Completes the oldest write that has begun. */
  async complete(): Promise<void> {
    this.pending.shift()?.();
    await turn();
  }

  async completeAll(): Promise<void> {
    await turn();
    while (this.pending.length > 0) await this.complete();
  }

  private async write(items: readonly Item[], report: ReportResult<Item, number>): Promise<void> {
    this.begun.push([...items]);
    await new Promise<void>((resolve) => this.pending.push(resolve));
    if (items.some(({ isFaulty }) => isFaulty === true)) throw this.failure;
    for (const item of items) report(item, item.id);
  }
}

/** Takes the item 1 out of its batch, until `apart` is called with its result. */
function writerWithPause(): { commits: GroupCommit<Item, number>; apart: (result: number) => void } {
  let apart = (_result: number): void => undefined;
  const paused = new Promise<number>((resolve) => (apart = resolve));
  const commits = new GroupCommit<Item, number>(
    async (items, report) => {
      for (const one of items) report(one, one.id === 1 ? paused : one.id);
      await Promise.resolve();
    },
    { keyOf: ({ key }) => key, holderOf: ({ holder }) => holder, bytesOf: () => 0, ...LIMITS },
  );
  return { commits, apart: (result) => apart(result) };
}

function turn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(() => setImmediate(resolve));
  });
}

function item(id: number, fields: Partial<Item> = {}): Item {
  return { id, key: String(id), holder: 'a', bytes: 1, ...fields };
}

function idsOf(batches: readonly (readonly Item[])[]): number[][] {
  return batches.map((batch) => batch.map(({ id }) => id));
}

describe('GroupCommit', () => {
  it('writes a single item at once, and what arrives meanwhile together', async () => {
    const writes = new Writes();
    const first = writes.add([item(1)]);
    await turn();
    const second = writes.add([item(2)]);
    await turn();
    expect(idsOf(writes.begun)).toEqual([[1], [2]]);
    const others = writes.add([item(3), item(4)]);
    await turn();
    await writes.complete();
    expect(idsOf(writes.begun)).toEqual([[1], [2], [3, 4]]);
    await writes.completeAll();
    expect(await Promise.all([first, second, others])).toMatchObject([
      [{ value: 1 }],
      [{ value: 2 }],
      [{ value: 3 }, { value: 4 }],
    ]);
  });

  it('lets holders take turns in a batch, however many items one of them has', async () => {
    const writes = new Writes();
    const flood = Array.from({ length: 20 }, (_, id) => item(id));
    const done = writes.add([...flood, item(100, { holder: 'b' })]);
    await writes.completeAll();
    expect(idsOf(writes.begun)[0]).toContain(100);
    await done;
  });

  it('never has items with equal keys in two batches at once, and keeps their order', async () => {
    const writes = new Writes();
    const first = writes.add([item(1, { key: 'k' })]);
    await turn();
    const others = writes.add([item(2, { key: 'k' }), item(3, { key: 'k' }), item(4)]);
    await turn();
    expect(idsOf(writes.begun)).toEqual([[1], [4]]);
    await writes.completeAll();
    expect(idsOf(writes.begun)).toEqual([[1], [4], [2, 3]]);
    await Promise.all([first, others]);
  });

  it('bounds the bytes of a batch, but writes an item that is larger alone', async () => {
    const writes = new Writes();
    const done = writes.add([item(1, { bytes: 500 }), item(2, { bytes: 60 }), item(3, { bytes: 60 })]);
    await writes.completeAll();
    expect(idsOf(writes.begun)).toEqual([[1], [2], [3]]);
    await done;
  });

  it('rejects only the item that is faulty', async () => {
    const writes = new Writes();
    const done = writes.add([item(1), item(2, { isFaulty: true }), item(3)]);
    await writes.completeAll();
    expect(idsOf(writes.begun)).toEqual([[1, 2, 3], [1], [2], [3]]);
    expect((await done).map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  });

  it('writes nothing a second time after the loss of a connection, because it may be committed', async () => {
    const writes = new Writes(Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' }));
    const done = writes.add([item(1), item(2, { isFaulty: true })]);
    await writes.completeAll();
    expect(idsOf(writes.begun)).toEqual([[1, 2]]);
    expect((await done).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  });

  it('does not wait for an item that its writer takes out of the batch', async () => {
    const { commits, apart } = writerWithPause();
    const slow = commits.add(item(1));
    const fast = commits.add(item(2));
    expect(await fast).toBe(2);
    apart(1);
    expect(await slow).toBe(1);
  });

  it('writes an item that its writer has left before others of its holder', async () => {
    const begun: number[][] = [];
    const commits = new GroupCommit<Item, number>(
      async (items, report) => {
        begun.push(items.map(({ id }) => id));
        await turn();
        for (const one of items) if (one.id !== 2 || begun.length > 1) report(one, one.id);
      },
      { keyOf: ({ key }) => key, holderOf: ({ holder }) => holder, bytesOf: () => 0, ...LIMITS, maxInFlight: 1 },
    );
    const ids = [1, 2, 3, 4, 5, 6, 7];
    expect(await Promise.all(ids.map((id) => commits.add(item(id))))).toEqual(ids);
    expect(begun).toEqual([
      [1, 2, 3, 4],
      [2, 5, 6, 7],
    ]);
  });

  it('settles each item once, whatever arrives when', async () => {
    const arrival = fc.record({
      key: fc.constantFrom('x', 'y', 'z', 'u', 'v'),
      bytes: fc.integer({ min: 0, max: 120 }),
      isFaulty: fc.boolean(),
      completesBefore: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(arrival, { maxLength: 30 }), async (arrivals) => {
        const writes = new Writes();
        const settled: Promise<PromiseSettledResult<number>[]>[] = [];
        for (const [id, { completesBefore, ...fields }] of arrivals.entries()) {
          if (completesBefore) await writes.complete();
          settled.push(writes.add([item(id, { ...fields, holder: fields.key })]));
        }
        await writes.completeAll();
        const results = (await Promise.all(settled)).flat();
        arrivals.forEach(({ isFaulty }, id) => {
          expect(results[id]).toMatchObject(isFaulty ? { status: 'rejected' } : { status: 'fulfilled', value: id });
        });
        expect(Math.max(0, ...writes.begun.map(({ length }) => length))).toBeLessThanOrEqual(4);
      }),
      { numRuns: 100 },
    );
  });
});
