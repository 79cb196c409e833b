import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { encodeCursor } from '@app/kernel';
import { createTestContext, type TestContext } from '@app/testing';
import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import fc from 'fast-check';
import { Column, Entity, PrimaryColumn, type SelectQueryBuilder } from 'typeorm';
import { Database } from '../database.js';
import { listingOf } from './list-statement.js';

@Entity('parcels')
class ParcelEntity {
  @PrimaryColumn({ type: 'text' })
  organization_id!: string;

  @PrimaryColumn({ type: 'integer' })
  id!: number;

  @Column({ type: 'integer' })
  weight!: number;

  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  sent_at!: Date | null;
}

@Module({ imports: [TypeOrmModule.forFeature([ParcelEntity])] })
class ParcelsModule {}

type Parcels = SelectQueryBuilder<ParcelEntity>;
type Direction = 'ASC' | 'DESC';

/** Orders with one and several columns, in equal and different directions, of columns, nullable columns and expressions. */
const ORDERS: Readonly<Record<string, (parcels: Parcels, direction: Direction) => Parcels>> = {
  weight: (parcels, direction) => parcels.orderBy('parcel.weight', direction),
  'sent_at, which can be null': (parcels, direction) => parcels.orderBy('parcel.sent_at', direction),
  'sent_at with nulls last': (parcels, direction) => parcels.orderBy('parcel.sent_at', direction, 'NULLS LAST'),
  'weight, then sent_at in the other direction': (parcels, direction) =>
    parcels.orderBy('parcel.weight', direction).addOrderBy('parcel.sent_at', direction === 'ASC' ? 'DESC' : 'ASC'),
  'an expression': (parcels, direction) =>
    parcels.addSelect('parcel.weight::double precision / 3', 'share').orderBy('share', direction),
};

describe('a list by cursor', () => {
  let context: TestContext;
  let database: Database;
  const parcels = (organization_id = 'ours'): Parcels =>
    database.select(ParcelEntity, 'parcel', { organization_id }).andWhere('(parcel.id > 0 OR parcel.id = 0)');
  const heaviest = (organization_id?: string): Parcels => parcels(organization_id).orderBy('parcel.weight', 'DESC');

  beforeAll(async () => {
    context = await createTestContext([ParcelsModule]);
    database = context.get(Database);
    await database.sql(`CREATE TABLE parcels (organization_id text, id int, weight int NOT NULL, sent_at timestamptz(3),
      PRIMARY KEY (organization_id, id))`);
  });

  afterAll(() => context.close());

  const insert = (ids: readonly number[]): Promise<unknown> =>
    database.sql(
      `INSERT INTO parcels SELECT o, i, abs(hashint4(i)) % 4,
         CASE WHEN i % 3 > 0 THEN '2026-01-01T00:00:00.123Z'::timestamptz + (i % 5) * interval '1 ms' END
       FROM unnest(ARRAY['ours', 'theirs']) o, unnest($1::int[]) i ON CONFLICT DO NOTHING`,
      [ids],
    );
  const remove = (ids: readonly number[]): Promise<unknown> =>
    database.sql('DELETE FROM parcels WHERE id = ANY($1)', [ids]);

  const ids = fc.array(fc.integer({ min: 0, max: 40 }), { maxLength: 8 });
  const steps = fc.array(fc.record({ limit: fc.integer({ min: 1, max: 5 }), added: ids, removed: ids }), {
    minLength: 1,
    maxLength: 6,
  });

  it.each(Object.keys(ORDERS).flatMap((order) => [[order, 'ASC'] as const, [order, 'DESC'] as const]))(
    'has no duplicates and no gaps while rows are inserted and deleted (by %s %s)',
    async (name, direction) => {
      const ordered = (): Parcels => ORDERS[name]?.(parcels(), direction) ?? parcels();
      const idsOf = async (limit: number, cursor?: string): Promise<[number[], string | undefined]> => {
        const { items, nextCursor } = await database.listPage(ordered(), { skip: 0, limit, ...(cursor && { cursor }) });
        return [items.map(({ id }) => id), nextCursor];
      };
      await fc.assert(
        fc.asyncProperty(ids, steps, async (before, changes) => {
          await remove(Array.from({ length: 41 }, (_id, index) => index));
          await insert(before);
          const always = new Set(before);
          const ever = new Set(before);
          const seen: number[] = [];
          let cursor: string | undefined;
          for (const { limit, added, removed } of [...changes, { limit: 100, added: [], removed: [] }]) {
            const [page, next] = await idsOf(limit, cursor);
            seen.push(...page);
            cursor = next;
            if (cursor === undefined) break;
            await remove(removed);
            await insert(added.filter((id) => !ever.has(id)));
            for (const id of removed) always.delete(id);
            for (const id of added) ever.add(id);
          }
          expect(cursor).toBeUndefined();
          expect(new Set(seen).size).toBe(seen.length);
          expect([...always].filter((id) => !seen.includes(id))).toEqual([]);
          const [order] = await idsOf(100);
          expect(seen.filter((id) => order.includes(id))).toEqual(order.filter((id) => seen.includes(id)));
        }),
        { numRuns: 20 },
      );
    },
  );

  const cursorFault = { kind: 'invalid', faults: [{ path: ['cursor'], type: 'value_error' }] };

  it('rejects the cursor of another organization, filter, order or list, and a damaged one', async () => {
    await insert([1, 2, 3]);
    const { nextCursor: cursor = '' } = await database.listPage(heaviest(), { skip: 0, limit: 1 });
    const others = [heaviest('theirs'), heaviest().andWhere('parcel.id < 9'), parcels().orderBy('parcel.weight')];
    for (const query of others) {
      await expect(database.listPage(query, { skip: 0, limit: 1, cursor })).rejects.toMatchObject(cursorFault);
    }
    const damaged = Array.from(
      cursor,
      (char, index) => cursor.slice(0, index) + (char === 'A' ? 'B' : 'A') + cursor.slice(index + 1),
    );
    for (const wrong of ['', 'x', `${cursor}=`, ` ${cursor}`, cursor.slice(0, -1), ...damaged]) {
      const listed = database.listPage(heaviest(), { skip: 0, limit: 1, cursor: wrong });
      await expect(listed).rejects.toMatchObject(cursorFault);
    }
  });

  it('rejects a cursor with a valid checksum if its keys have wrong types or their number is wrong', async () => {
    const { identity } = listingOf(heaviest());
    for (const keys of [['x', '1', 'ours'], ['1', '99999999999', 'ours'], ['1', '1', '\u0000'], ['1'], []]) {
      const cursor = encodeCursor(identity, keys);
      await expect(database.listPage(heaviest(), { skip: 0, limit: 2, cursor })).rejects.toMatchObject(cursorFault);
    }
  });

  it('has a total unless the request excludes it', async () => {
    await insert([1, 2, 3]);
    const first = await database.listPage(heaviest().andWhere('parcel.id IN (1, 2, 3)'), {
      skip: 0,
      limit: 2,
      total: false,
    });
    expect(first.total).toBeUndefined();
    const page = { skip: 0, limit: 2, ...(first.nextCursor && { cursor: first.nextCursor }) };
    expect(await database.listPage(heaviest().andWhere('parcel.id IN (1, 2, 3)'), page)).toMatchObject({
      total: 3,
      items: [{}],
    });
  });
});
