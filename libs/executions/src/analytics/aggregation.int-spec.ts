import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createTestContext, type TestContext } from '@app/testing';
import pg from 'pg';
import { OpenGateModule } from '../executions/execution-gate.js';
import { ExecutionsModule } from '../executions.module.js';
import { FOLD_FACTS, FOLD_RECORD_CHANGES } from './aggregation.sql.js';

const FACTS = `INSERT INTO execution_facts (organization_id, sign, status, execution_type, entity_id, created_at)
  SELECT 'o', 1, 'completed', 'agent', 'a' || n, now() FROM generate_series(1, 2000) n`;
const CHANGES = `INSERT INTO record_changes (organization_id, kind, status, at, records)
  SELECT 'o', 'task', 's' || n, now(), 1 FROM generate_series(1, 2000) n`;

interface PlanNode {
  readonly 'Relation Name'?: string;
  readonly 'Actual Loops': number;
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
    { table: 'execution_facts', rows: FACTS, statement: FOLD_FACTS },
    { table: 'record_changes', rows: CHANGES, statement: FOLD_RECORD_CHANGES },
  ])('reads $table once even if PostgreSQL assumes that it is empty', async ({ table, rows, statement }) => {
    await context.database.transaction(async () => {
      await context.database.sql(rows);
      // Sees none of the rows, because their transaction has not ended.
      await analyzer.query(`ANALYZE ${table}`);
    });
    const [{ 'QUERY PLAN': plan } = {}] = await context.database.sql<{ 'QUERY PLAN': { Plan: PlanNode }[] }>(
      `EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) ${statement}`,
      [1000],
    );
    const reads = plan?.flatMap(({ Plan }) => nodesOf(Plan)).filter((node) => node['Relation Name'] === table) ?? [];
    expect(reads.length).toBeGreaterThan(0);
    expect(reads.map((node) => node['Actual Loops'])).toEqual(reads.map(() => 1));
  });
});

function nodesOf(node: PlanNode): PlanNode[] {
  return [node, ...(node.Plans ?? []).flatMap(nodesOf)];
}
