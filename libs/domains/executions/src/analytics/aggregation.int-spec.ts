import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createTestContext, type TestContext } from '@app/testing';
import pg from 'pg';
import { OpenGateModule } from '../testing/open-gate.module.js';
import { ExecutionsModule } from '../executions.module.js';
import { AGGREGATE_FACTS, AGGREGATE_RECORD_CHANGES, LOCK_AGGREGATION, MAX_NAMES } from './aggregation.sql.js';

const FACTS = `INSERT INTO execution_facts (organization_id, sign, status, execution_type, entity_id, created_at)
  SELECT 'o', 1, 'completed', 'agent', 'a' || n, now() FROM generate_series(1, 2000) n`;
const CHANGES = `INSERT INTO record_changes (organization_id, kind, status, at, records)
  SELECT 'o', 'task', 's' || n, now(), 1 FROM generate_series(1, 2000) n`;

/** Facts of one batch, all with names of their own: more names than are admitted. */
const BATCH = 1000;
/** Rows that the statement may read for each fact, in all nodes of its plan. */
const MAX_READS = 150;

interface PlanNode {
  readonly 'Actual Loops': number;
  /** Of each loop. */
  readonly 'Actual Rows': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly 'Rows Removed by Join Filter'?: number;
  readonly Plans?: readonly PlanNode[];
}

describe('the aggregation of facts', () => {
  let context: TestContext;
  let analyzer: pg.Client;

  beforeAll(async () => {
    context = await createTestContext([OpenGateModule, ExecutionsModule]);
    analyzer = new pg.Client({ connectionString: context.databaseUrl });
    await analyzer.connect();
  });

  afterAll(async () => {
    await analyzer.end();
    await context.close();
  });

  it.each([
    { table: 'execution_facts', rows: FACTS, statement: AGGREGATE_FACTS },
    { table: 'record_changes', rows: CHANGES, statement: AGGREGATE_RECORD_CHANGES },
  ])('reads a bounded number of rows for each row of $table, whatever the statistics say', async (batch) => {
    const { table, rows, statement } = batch;
    await context.database.transaction(async () => {
      await context.database.sql(rows);
      // Sees none of the rows, because their transaction has not ended.
      await analyzer.query(`ANALYZE ${table}`);
    });
    const explain = (): Promise<PlanNode> =>
      context.database.transaction(async () => {
        await context.database.sql(LOCK_AGGREGATION, [table]);
        const [row] = await context.database.sql<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(
          `EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) ${statement}`,
          [BATCH],
        );
        if (row === undefined) throw new Error('No plan');
        return row['QUERY PLAN'][0].Plan;
      });
    // The names of the second batch are refused.
    for (const plan of [await explain(), await explain()]) {
      const reads = nodesOf(plan).map(readsOf);
      expect(reads.reduce((sum, count) => sum + count)).toBeGreaterThan(BATCH);
      expect(reads.reduce((sum, count) => sum + count)).toBeLessThan(MAX_READS * BATCH);
    }
    const [names] = await context.database.sql('SELECT count(*)::integer AS count FROM analytics_names');
    expect(names).toEqual({ count: MAX_NAMES });
    await context.database.sql('DELETE FROM analytics_names');
  });
});

function readsOf(node: PlanNode): number {
  const removed = (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Join Filter'] ?? 0);
  return node['Actual Loops'] * (node['Actual Rows'] + removed);
}

function nodesOf(node: PlanNode): PlanNode[] {
  return [node, ...(node.Plans ?? []).flatMap(nodesOf)];
}
