import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createTestContext, eventually, type TestContext } from '@app/testing';
import { AnalyticsNames1800000050510 } from './1800000050510-analytics-names.js';

const ADD_USAGE = `INSERT INTO execution_usage
  VALUES ('o', 3600, '2026-01-01', 'agent', $1, 'model', 'completed', 1, 2, 3, 5, 7)`;
const ADD_RECORDS = `INSERT INTO record_totals VALUES ('o', 3600, '2026-01-01', 'task', $1, 4)`;

describe('the migration of analytics to bounded names', () => {
  let context: TestContext;

  beforeAll(async () => {
    context = await createTestContext([]);
  });

  afterAll(() => context.close());

  it('waits for sums that are being stored, and can be repeated after it was reverted', async () => {
    const { database } = context;
    const migration = new AnalyticsNames1800000050510();
    const [runner, usage, records] = [1, 2, 3].map(() => database.dataSource.createQueryRunner());
    if (runner === undefined || usage === undefined || records === undefined) throw new Error('No connection');
    await migration.down(runner);
    const waiting = (table: string) => async (): Promise<void> => {
      const query = 'SELECT 1 AS one FROM pg_locks WHERE NOT granted AND relation = $1::regclass';
      expect(await database.sql(query, [table])).toHaveLength(1);
    };
    await usage.startTransaction();
    await usage.query(ADD_USAGE, ['late']);
    await records.startTransaction();
    await records.query(ADD_RECORDS, ['late']);
    await runner.startTransaction();
    const migrated = migration.up(runner);
    await eventually(waiting('execution_usage'));
    await usage.commitTransaction();
    await eventually(waiting('record_totals'));
    await records.commitTransaction();
    await migrated;
    await runner.commitTransaction();
    const sums = "SELECT executions, cost_nanos FROM usage_totals WHERE kind = 'all'";
    expect(await database.sql(sums)).toEqual([{ executions: '1', cost_nanos: '7' }]);
    const stored = 'SELECT status, records FROM record_totals';
    expect(await database.sql(stored)).toEqual([{ status: '', records: '4' }]);

    await migration.down(runner);
    await runner.query(ADD_RECORDS, ['later']);
    await migration.up(runner);
    expect(await database.sql(sums)).toEqual([{ executions: '1', cost_nanos: '7' }]);
    expect(await database.sql(stored)).toEqual([{ status: '', records: '8' }]);
    for (const one of [runner, usage, records]) await one.release();
  });
});
