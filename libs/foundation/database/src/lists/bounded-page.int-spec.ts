import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createTestContext, statementsOf, type TestContext } from '@app/testing';
import { Database } from '../database.js';

const PAGE = 'SELECT * FROM shelf WHERE kind = $1 ORDER BY id DESC LIMIT $2 OFFSET $3';

/** Rows of 3 MB that compress well, and rows of 3 MB that do not compress. */
const LARGE: Readonly<Record<string, string>> = {
  text: `(id, kind, content) SELECT i, 'text', repeat('x', 3000000)`,
  json: `(id, kind, document) SELECT i, 'json', json_build_object('x', repeat('x', 3000000))`,
  list: `(id, kind, list) SELECT i, 'list', array_fill(repeat('x', 1000), ARRAY[3000])`,
  noise: `(id, kind, content) SELECT i, 'noise', (SELECT string_agg(md5(n::text || i), '') FROM generate_series(1, 93750) n)`,
};

describe('boundedRows', () => {
  let context: TestContext;
  let database: Database;
  const read = (kind: string, limit: number, skip = 0): Promise<{ id: number; content: string | null }[]> =>
    database.boundedRows(limit, { text: PAGE, values: [kind, limit, skip] });

  beforeAll(async () => {
    context = await createTestContext([]);
    database = context.get(Database);
    await database.sql('CREATE TABLE shelf (id int, kind text, content text, document json, list text[])');
    for (const rows of Object.values(LARGE)) {
      await database.sql(`INSERT INTO shelf ${rows} FROM generate_series(1, 4) i`);
    }
    await database.sql(`INSERT INTO shelf (id, kind, content) SELECT i, 'small', 'x' FROM generate_series(1, 1000) i`);
    await database.sql(
      `INSERT INTO shelf (id, kind, content) VALUES (1, 'huge', repeat('x', 9000000)), (2, 'huge', 'x')`,
    );
  });

  afterAll(() => context.close());

  it.each(Object.keys(LARGE))('throws if the rows exceed the bound uncompressed (%s)', async (kind) => {
    await expect(read(kind, 3)).rejects.toMatchObject({
      kind: 'invalid',
      faults: [
        {
          path: ['limit'],
          msg: 'The page would exceed 8 MiB; request fewer items with `limit`',
          type: 'value_error',
        },
      ],
    });
  });

  it.each(Object.keys(LARGE))('returns all rows in order within the bound (%s)', async (kind) => {
    expect((await read(kind, 2)).map(({ id }) => id)).toEqual([4, 3]);
    expect((await read(kind, 3, 2)).map(({ id }) => id)).toEqual([2, 1]);
  });

  it('returns a single row of any size', async () => {
    await expect(read('huge', 2)).rejects.toMatchObject({ kind: 'invalid' });
    const [row] = await read('huge', 1, 1);
    expect(row?.content).toHaveLength(9_000_000);
  });

  it('returns only the columns of the statement, and no rows past the end', async () => {
    expect(await read('small', 2)).toEqual([
      { id: 1000, kind: 'small', content: 'x', document: null, list: null },
      { id: 999, kind: 'small', content: 'x', document: null, list: null },
    ]);
    expect(await read('small', 1000)).toHaveLength(1000);
    expect(await read('small', 10, 1000)).toEqual([]);
  });

  it('needs one statement once the columns are cached', async () => {
    await read('small', 10);
    expect(await statementsOf(() => read('small', 20))).toHaveLength(1);
  });
});
