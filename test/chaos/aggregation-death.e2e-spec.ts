import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { unwrap } from '@app/api-client';
import { eventually } from '@app/testing';
import pg from 'pg';
import { Platform } from '../support/platform.js';

const EXECUTIONS = 20;
const KILLS = 2;

describe('death of a dispatcher that aggregates analytics', () => {
  let platform: Platform;
  /** Holds a lock that stops the aggregation halfway: it has deleted the facts but not written all sums. */
  let blocker: pg.Client;

  beforeAll(async () => {
    platform = await Platform.start({ dispatchers: 1 });
    blocker = new pg.Client({ connectionString: platform.databaseUrl });
    await blocker.connect();
  });

  afterAll(async () => {
    await blocker.end();
    await platform.stop();
  });

  async function runAll(): Promise<void> {
    const client = platform.client();
    const runs = Array.from({ length: EXECUTIONS }, async () => {
      const { execution_id } = await unwrap(client.POST('/api/v1/executions/create', { body: { prompt: 'p' } }));
      const params = { path: { execution_id } };
      await unwrap(client.PATCH('/api/v1/executions/{execution_id}', { params, body: { status: 'running' } }));
      const end = { status: 'completed' as const, usage: { prompt_tokens: 3, completion_tokens: 2 } };
      await unwrap(client.PATCH('/api/v1/executions/{execution_id}', { params, body: end }));
    });
    await Promise.all(runs);
  }

  async function summary(): Promise<readonly unknown[]> {
    const { executions_by_status, input_tokens, output_tokens } = await unwrap(
      platform.client().GET('/api/v1/analytics/summary'),
    );
    return [executions_by_status, input_tokens, output_tokens];
  }
  const sums = (rounds: number): readonly unknown[] => {
    const completed = rounds * EXECUTIONS;
    return [{ completed }, 3 * completed, 2 * completed];
  };

  const factCount = async (): Promise<number> =>
    (await platform.sql<{ n: number }>('SELECT count(*)::integer AS n FROM execution_facts'))[0]?.n ?? -1;

  it('loses no execution from the analytics and counts none twice', async () => {
    for (let kill = 1; kill <= KILLS; kill += 1) {
      await blocker.query('BEGIN; LOCK TABLE execution_totals IN EXCLUSIVE MODE');
      await runAll();
      await eventually(async () => {
        const waiting = await platform.sql(
          `SELECT 1 FROM pg_stat_activity
            WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%DELETE FROM execution_facts%'`,
        );
        expect(waiting).toHaveLength(1);
      });
      await platform.dispatchers.at(-1)?.process.kill('SIGKILL');
      expect(await summary()).toEqual(sums(kill));
      await blocker.query('ROLLBACK');
      expect(await summary()).toEqual(sums(kill));
      await platform.startDispatcher();
    }
    await eventually(async () => expect(await factCount()).toBe(0));
    expect(await summary()).toEqual(sums(KILLS));
    const [stored] = await platform.sql(
      `SELECT sum(executions)::integer AS executions, sum(input_tokens)::integer AS input_tokens
        FROM execution_totals WHERE seconds = 3600`,
    );
    expect(stored).toEqual({ executions: KILLS * EXECUTIONS, input_tokens: 3 * KILLS * EXECUTIONS });
  });
});
