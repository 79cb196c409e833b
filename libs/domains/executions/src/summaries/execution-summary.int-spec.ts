import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Database } from '@app/database';
import type { Scope } from '@app/kernel';
import { createTestContext, testCaller, type TestContext } from '@app/testing';
import { ExecutionsModule } from '../executions.module.js';
import { OpenGateModule } from '../testing/open-gate.module.js';
import { ExecutionSummaryService } from './execution-summary.service.js';
import { SUMMARY_ORDERS, type ExecutionSummaryFilter, type SummaryOrder } from './execution-summary.types.js';

const HISTORY = 20_000;
const START = Date.parse('2026-01-01T00:00:00Z');
const at = (second: number): Date => new Date(START + second * 1000);

describe('ExecutionSummaryService', () => {
  let context: TestContext;
  let database: Database;
  let summaries: ExecutionSummaryService;
  const ours: Scope = testCaller();

  beforeAll(async () => {
    context = await createTestContext([ExecutionsModule, OpenGateModule]);
    database = context.get(Database);
    summaries = context.get(ExecutionSummaryService);
    // Of the executions, every 4000th is still running and every 10th failed; all have been queued.
    for (const { organizationId } of [ours, testCaller()]) {
      await database.sql(
        `INSERT INTO executions (organization_id, id, execution_type, entity_id, prompt, status, error_message, cause, usage,
           execution_metadata, participants, created_at, started_at, completed_at, updated_at, trigger_type, trigger_metadata,
           config, execution_environment, worker_queue_id, queued_at, attempt, max_attempts, parent_execution_id, session_id)
         SELECT $1, 'run-' || i, 'agent', 'agent-' || i % 7, repeat('p', 100), s.status,
           CASE WHEN s.status = 'failed' THEN repeat('e', 1000) END, CASE WHEN s.status = 'failed' THEN 'cause-' || i % 3 END,
           CASE WHEN i % 2 = 0 THEN '{"total_tokens":7}' ELSE '{"total_tokens":"\\ud800"}' END::json, '{}', '[]', t.at, t.at,
           CASE WHEN s.status <> 'running' THEN t.at + interval '1 s' END, t.at, 'api', '{}', '{}', '{}', 'queue', t.at,
           1 + i % 2, 3, CASE WHEN i % 5000 = 0 THEN 'parent' END, CASE WHEN i % 3000 = 0 THEN 'session' END
         FROM generate_series(1, $2::int) i, LATERAL (SELECT $3::timestamptz + i / 2 * interval '1 s' AS at) t,
           LATERAL (SELECT CASE WHEN i % 4000 = 0 THEN 'running' WHEN i % 10 = 0 THEN 'failed' ELSE 'completed' END AS status) s`,
        [organizationId, HISTORY, at(0)],
      );
    }
    await database.sql('VACUUM ANALYZE executions');
  });

  afterAll(() => context.close());

  async function walk(
    filter: ExecutionSummaryFilter,
    order: SummaryOrder,
    limit: number,
    pages = Infinity,
  ): Promise<string[]> {
    const ids: string[] = [];
    let cursor: string | undefined;
    for (let page = 0; page < pages; page += 1) {
      const listed = await summaries.list(ours, filter, order, { skip: 0, limit, ...(cursor && { cursor }) });
      ids.push(...listed.items.map(({ id }) => id));
      cursor = listed.nextCursor;
      if (cursor === undefined) break;
    }
    return ids;
  }

  it.each(SUMMARY_ORDERS)('lists each execution once, in the order %s, and counts them', async (order) => {
    const column = order.replace('-', '');
    const open = order === 'queued_at' ? `AND status = 'running'` : '';
    const direction = order.startsWith('-') ? 'DESC' : 'ASC';
    const rows = await database.sql<{ id: string }>(
      `SELECT id FROM executions WHERE organization_id = $1 AND ${column} IS NOT NULL ${open}
       ORDER BY ${column} ${direction}, id ${direction}`,
      [ours.organizationId],
    );
    expect(await walk({}, order, 1000)).toEqual(rows.map(({ id }) => id));
    const count = Math.min(rows.length, 10_000);
    expect(await summaries.count(ours, {}, order)).toEqual({ count, exact: rows.length <= 10_000 });
  });

  it('filters by every field', async () => {
    const newest = async (filter: ExecutionSummaryFilter): Promise<string[]> => walk(filter, '-created_at', 3, 1);
    expect(await newest({ statuses: ['running', 'paused'] })).toEqual(['run-20000', 'run-16000', 'run-12000']);
    expect(await newest({ ids: ['run-1', 'run-3', 'unknown'] })).toEqual(['run-3', 'run-1']);
    expect(await newest({ cause: 'cause-1', entityId: 'agent-3' })).toEqual(['run-19960', 'run-19750', 'run-19540']);
    expect(await newest({ parentExecutionId: 'parent', minAttempt: 1 })).toEqual([
      'run-20000',
      'run-15000',
      'run-10000',
    ]);
    expect(await newest({ sessionId: 'session' })).toEqual(['run-18000', 'run-15000', 'run-12000']);
    expect(await newest({ workerQueueId: 'queue', triggerType: 'api', executionType: 'agent', minAttempt: 2 })).toEqual(
      [...['run-19999', 'run-19997', 'run-19995']],
    );
    for (const none of [
      { userId: 'u' },
      { sessionId: 's' },
      { workerId: 'w' },
      { jobId: 'j' },
      { workerQueueId: 'q' },
      { cause: 'x' },
    ])
      expect(await newest(none)).toEqual([]);
    expect(await newest({ from: at(5), to: at(6) })).toEqual(['run-11', 'run-10']);
    expect(await walk({ from: at(6), to: at(7) }, '-completed_at', 9)).toEqual(['run-11', 'run-10']);
    expect(await summaries.count(ours, { statuses: ['failed'] }, '-created_at')).toEqual({ count: 1995, exact: true });
  });

  it('truncates errors, and reads the tokens of any usage', async () => {
    const { items } = await summaries.list(ours, { ids: ['run-10', 'run-11'] }, 'created_at', { skip: 0, limit: 5 });
    expect(items).toMatchObject([
      { id: 'run-10', error_message: 'e'.repeat(300), total_tokens: 7, duration_ms: 1000, worker_id: null },
      { id: 'run-11', error_message: null, total_tokens: null, cause: null },
    ]);
    expect(items[0]).not.toHaveProperty('prompt');
    expect(items[0]).not.toHaveProperty('usage');
  });

  it.each([
    ['-created_at', {}],
    ['created_at', {}],
    ['-completed_at', {}],
    ['created_at', { statuses: ['running'] }],
    ['queued_at', { statuses: ['running'] }],
    ['-created_at', { parentExecutionId: 'parent' }],
    ['-created_at', { sessionId: 'session' }],
    ['-completed_at', { sessionId: 'session' }],
    ['-created_at', { cause: 'cause-1' }],
  ] as const)('reads only the rows of a page, at any depth (%s, %j)', async (order, filter) => {
    const page = await summaries.list(ours, filter, order, { skip: 0, limit: 2 });
    const deep = page.nextCursor ?? '';
    const blocks = await blocksOf(() => summaries.list(ours, filter, order, { skip: 0, limit: 2, cursor: deep }));
    expect(blocks).toBeLessThan(100);
  });

  /** Returns the number of PostgreSQL pages that the statements of `work` read. */
  async function blocksOf(work: () => Promise<unknown>): Promise<number> {
    return database.transaction(async () => {
      const read = async (): Promise<number> => {
        const [row] = await database.sql<{ blocks: number }>(
          `SELECT (pg_stat_get_xact_blocks_fetched('executions'::regclass) + coalesce(sum(
             pg_stat_get_xact_blocks_fetched(indexrelid)), 0))::int AS blocks
           FROM pg_index WHERE indrelid = 'executions'::regclass`,
        );
        return row?.blocks ?? 0;
      };
      await work();
      const before = await read();
      await work();
      return (await read()) - before;
    });
  }
});
