import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createTestContext, type TestContext } from '@app/testing';
import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { Column, Entity, PrimaryColumn, type SelectQueryBuilder } from 'typeorm';
import { Database } from '../database.js';
import { listingOf } from './list-statement.js';

@Entity('crates')
class CrateEntity {
  @PrimaryColumn({ type: 'text' })
  organization_id!: string;

  @PrimaryColumn({ type: 'integer' })
  id!: number;

  @Column({ type: 'integer' })
  weight!: number;

  @Column({ type: 'json' })
  content!: object;
}

@Entity('labels')
class LabelEntity {
  @PrimaryColumn({ type: 'integer' })
  crate_id!: number;

  @Column({ type: 'text' })
  label!: string;
}

@Module({ imports: [TypeOrmModule.forFeature([CrateEntity, LabelEntity])] })
class CratesModule {}

const CRATES = 9;

describe('a page of a list', () => {
  let context: TestContext;
  let database: Database;
  const crates = (organization_id = 'ours'): SelectQueryBuilder<CrateEntity> =>
    database.select(CrateEntity, 'crate', { organization_id }).orderBy('crate.weight', 'DESC');

  beforeAll(async () => {
    context = await createTestContext([CratesModule]);
    database = context.get(Database);
    await database.sql(
      'CREATE TABLE crates (organization_id text, id int, weight int, content json, PRIMARY KEY (organization_id, id))',
    );
    await database.sql('CREATE TABLE labels (crate_id int PRIMARY KEY, label text)');
    await database.sql(
      `INSERT INTO crates SELECT o, i, i / 3, json_build_object('i', i) FROM unnest(ARRAY['ours', 'theirs']) o, generate_series(1, $1) i`,
      [CRATES],
    );
    await database.sql(`INSERT INTO labels SELECT i, 'number ' || i FROM generate_series(1, $1) i`, [CRATES]);
  });

  afterAll(() => context.close());

  it('has rows whose fields have the names of the columns, and the total of the list', async () => {
    expect(await database.listPage(crates(), { skip: 1, limit: 2 })).toEqual({
      nextCursor: expect.any(String),
      items: [
        { organization_id: 'ours', id: 8, weight: 2, content: { i: 8 } },
        { organization_id: 'ours', id: 7, weight: 2, content: { i: 7 } },
      ],
      total: CRATES,
    });
    expect(await database.listPage(crates('unknown'), { skip: 0, limit: 2 })).toEqual({ items: [], total: 0 });
  });

  it.each([1, 2, 4])(
    'never overlaps another one, even if rows are equal in the given order (%i per page)',
    async (limit) => {
      const ids: number[] = [];
      for (let skip = 0; skip < CRATES; skip += limit) {
        ids.push(...(await database.listPage(crates(), { skip, limit })).items.map(({ id }) => id));
      }
      expect(ids).toEqual([9, 8, 7, 6, 5, 4, 3, 2, 1]);
    },
  );

  it('respects conditions and joins, and includes additional selections', async () => {
    const labelled = crates()
      .innerJoin(LabelEntity, 'label', 'label.crate_id = crate.id')
      .select(['crate.id', 'crate.weight'])
      .addSelect('label.label', 'label')
      .addSelect('crate.weight * :factor::integer', 'price')
      .andWhere('label.label = ANY(:labels)', { labels: ['number 4', 'number 2', 'number 5'] })
      .setParameter('factor', 10);
    expect(await database.listPage(labelled, { skip: 0, limit: 2 })).toEqual({
      nextCursor: expect.any(String),
      items: [
        { id: 5, weight: 1, label: 'number 5', price: 10 },
        { id: 4, weight: 1, label: 'number 4', price: 10 },
      ],
      total: 3,
    });
  });

  it('is read by a statement whose text depends neither on skip and limit nor on values', () => {
    const texts = [
      listingOf(crates()).statement({ skip: 0, limit: 10 }, undefined).text,
      listingOf(crates('theirs')).statement({ skip: 70, limit: 3 }, undefined).text,
    ];
    expect(texts[0]).toBe(texts[1]);
  });

  it('does not change the query', async () => {
    const query = crates();
    const before = query.getQueryAndParameters();
    await database.listPage(query, { skip: 0, limit: 2 });
    expect(query.getQueryAndParameters()).toEqual(before);
  });
});
