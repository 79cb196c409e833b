import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createTestContext, type TestContext } from '@app/testing';
import { SessionMessagePositions1800000019000 } from './1800000019000-session-message-positions.js';
import { SessionMessageRows1800000049700 } from './1800000049700-session-message-rows.js';

describe('the migration of session messages to positions', () => {
  let context: TestContext;

  beforeAll(async () => {
    context = await createTestContext([]);
  });

  afterAll(() => context.close());

  it('keeps the messages verbatim and in order, in both directions', async () => {
    const migration = new SessionMessagePositions1800000019000();
    const runner = context.database.dataSource.createQueryRunner();
    const list = '[{"z":1, "a":"cut \\ud83d"},{"b":[1.50,null]},"text"]';
    await new SessionMessageRows1800000049700().down(runner);
    await migration.down(runner);
    await runner.query(
      `INSERT INTO execution_sessions (organization_id, execution_id, messages, metadata, created_at, updated_at)
       VALUES ('o', 'full', $1, '{}', now(), now()), ('o', 'empty', '[]', '{}', now(), now())`,
      [list],
    );
    await migration.up(runner);
    const rows = await context.database.sql(
      `SELECT execution_id AS id, to_json(messages)::text AS messages, message_positions AS positions, last_position AS last
       FROM execution_sessions ORDER BY id`,
    );
    expect(rows).toEqual([
      { id: 'empty', messages: '[]', positions: [], last: '0' },
      { id: 'full', messages: list, positions: ['1', '2', '3'], last: '3' },
    ]);
    await migration.down(runner);
    const [row] = await context.database.sql(
      "SELECT messages::text FROM execution_sessions WHERE execution_id = 'full'",
    );
    expect(row).toEqual({ messages: list });
    await runner.release();
  });
});
