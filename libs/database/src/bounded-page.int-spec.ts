import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { createTestContext, type TestContext } from '@app/testing';
import type { Pool } from 'pg';
import { Database } from './database.js';

const PAGE = 'SELECT * FROM shelf WHERE kind = $1 ORDER BY id DESC LIMIT $2 OFFSET $3';

/** Three megabytes that compress to next to nothing, and three that do not compress. */
const LARGE: Readonly<Record<string, string>> = {
  text: `(id, kind, said) SELECT i, 'text', repeat('x', 3000000)`,
  json: `(id, kind, told) SELECT i, 'json', json_build_object('x', repeat('x', 3000000))`,
  list: `(id, kind, words) SELECT i, 'list', array_fill(repeat('x', 1000), ARRAY[3000])`,
  noise: `(id, kind, said) SELECT i, 'noise', (SELECT string_agg(md5(n::text || i), '') FROM generate_series(1, 93750) n)`,
};

describe('a page of a list', () => {
  let context: TestContext;
  let database: Database;
  const read = (kind: string, limit: number, skip = 0): Promise<{ id: number; said: string | null }[]> =>
    database.page({ limit }, PAGE, [kind, limit, skip]);

  beforeAll(async () => {
    context = await createTestContext([]);
    database = context.get(Database);
    await database.sql('CREATE TABLE shelf (id int, kind text, said text, told json, words text[])');
    for (const rows of Object.values(LARGE)) {
      await database.sql(`INSERT INTO shelf ${rows} FROM generate_series(1, 4) i`);
    }
    await database.sql(`INSERT INTO shelf (id, kind, said) SELECT i, 'small', 'x' FROM generate_series(1, 1000) i`);
    await database.sql(`INSERT INTO shelf (id, kind, said) VALUES (1, 'huge', repeat('x', 9000000)), (2, 'huge', 'x')`);
  });

  afterAll(() => context.close());

  it.each(Object.keys(LARGE))('is refused where its rows hold too much uncompressed (%s)', async (kind) => {
    await expect(read(kind, 3)).rejects.toMatchObject({
      kind: 'invalid',
      faults: [
        {
          loc: ['query', 'limit'],
          msg: 'This page would hold more than 8 MiB: ask for fewer items with `limit`',
          type: 'value_error',
        },
      ],
    });
  });

  it.each(Object.keys(LARGE))('is whole and in order where its rows fit (%s)', async (kind) => {
    expect((await read(kind, 2)).map(({ id }) => id)).toEqual([4, 3]);
    expect((await read(kind, 3, 2)).map(({ id }) => id)).toEqual([2, 1]);
  });

  it('of one row is answered whatever the row holds', async () => {
    await expect(read('huge', 2)).rejects.toMatchObject({ kind: 'invalid' });
    const [row] = await read('huge', 1, 1);
    expect(row?.said).toHaveLength(9_000_000);
  });

  it('has nothing in it but the statement’s own columns, and nothing at all past the end', async () => {
    expect(await read('small', 2)).toEqual([
      { id: 1000, kind: 'small', said: 'x', told: null, words: null },
      { id: 999, kind: 'small', said: 'x', told: null, words: null },
    ]);
    expect(await read('small', 1000)).toHaveLength(1000);
    expect(await read('small', 10, 1000)).toEqual([]);
  });

  it('is one statement, once its columns are known', async () => {
    await read('small', 10);
    const query = jest.spyOn((database.dataSource.driver as unknown as { master: Pool }).master, 'query');
    await read('small', 20);
    expect(query).toHaveBeenCalledTimes(1);
    query.mockRestore();
  });
});
