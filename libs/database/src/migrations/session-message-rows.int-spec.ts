import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createTestContext, eventually, type TestContext } from '@app/testing';
import { SessionMessageRows1800000049700 } from './1800000049700-session-message-rows.js';

interface Stored {
  readonly position: string;
  readonly id: string | null;
  readonly message: string;
}

describe('the migration of session messages to rows', () => {
  let context: TestContext;

  beforeAll(async () => {
    context = await createTestContext([]);
  });

  afterAll(() => context.close());

  it('keeps messages, positions and ids, in both directions', async () => {
    const { database } = context;
    const migration = new SessionMessageRows1800000049700();
    const runner = database.dataSource.createQueryRunner();
    await migration.down(runner);
    const messages = [
      String.raw`{"z":1, "message_id":"plain","a":"cut \ud83d"}`,
      String.raw`{"reply_to":{"message_id":"nested"},"content":"a\\ud83d \u0000"}`,
      String.raw`{"message_id":"q\"uoted\\","n":1.50}`,
      `{"message_id":"${'long'.repeat(100)}"}`,
      '{"message_id":5}',
      '"text"',
      'null',
    ];
    const ids = ['plain', 'q"uoted\\', 'long'.repeat(100)];
    const many = Array.from({ length: 10_000 }, (_, n) => `{"message_id":"m${n}"}`);
    const insert = `INSERT INTO execution_sessions (organization_id, execution_id, messages, message_positions,
        last_position, message_ids, metadata, created_at, updated_at)
      VALUES ('o', $1, $2::json[], $3, $4, $5, '{}', now(), now())`;
    await runner.query(insert, ['few', messages, [1, 2, 5, 6, 7, 9, 10], 12, ids]);
    await runner.query(insert, ['none', [], [], 3, []]);
    await runner.query(insert, ['many', many, many.map((_, n) => n + 1), 10_000, many.map((_, n) => `m${n}`)]);
    await runner.query(
      `INSERT INTO execution_messages (organization_id, execution_id, message_id, message, created_at)
       VALUES ('o', 'few', 'plain', '{}', now()), ('o', 'few', 'nested', '{}', now())`,
    );
    const lists = `SELECT execution_id, messages::text[] AS messages, message_positions, last_position FROM execution_sessions
      ORDER BY 1`;
    const before = await database.sql(lists);
    await runner.startTransaction();
    await migration.up(runner);
    await runner.commitTransaction();
    const rows = await database.sql<Stored>(
      `SELECT position, message_id AS id, message::text FROM session_messages WHERE execution_id = 'few' ORDER BY position`,
    );
    expect(rows.map(({ message }) => message)).toEqual(messages);
    expect(rows.map(({ position }) => position)).toEqual(['1', '2', '5', '6', '7', '9', '10']);
    expect(rows.map(({ id }) => id)).toEqual(['plain', null, 'q"uoted\\', null, null, null, null]);
    const bytes = (list: readonly string[]): string => String(Buffer.byteLength(list.join('')));
    expect(
      await database.sql(
        `SELECT execution_id AS id, stored_messages AS messages, stored_bytes AS bytes, last_position AS last
         FROM execution_sessions ORDER BY 1`,
      ),
    ).toEqual([
      { id: 'few', messages: 7, bytes: bytes(messages), last: '12' },
      { id: 'many', messages: 10_000, bytes: bytes(many), last: '10000' },
      { id: 'none', messages: 0, bytes: '0', last: '3' },
    ]);
    expect(await database.sql('SELECT message_id AS id, is_stored FROM execution_messages ORDER BY 1')).toEqual([
      { id: 'nested', is_stored: false },
      { id: 'plain', is_stored: true },
    ]);
    await migration.down(runner);
    expect(await database.sql(lists)).toEqual(before);
    await runner.release();
  });

  it('waits for messages that are being stored', async () => {
    const { database } = context;
    const migration = new SessionMessageRows1800000049700();
    const [runner, writer] = [database.dataSource.createQueryRunner(), database.dataSource.createQueryRunner()];
    await writer.startTransaction();
    await writer.query(
      `INSERT INTO execution_sessions (organization_id, execution_id, messages, message_positions, last_position,
         message_ids, metadata, created_at, updated_at)
       VALUES ('o', 'late', ARRAY['{"message_id":"late"}'::json], '{1}', 1, '{late}', '{}', now(), now())`,
    );
    await runner.startTransaction();
    const migrated = migration.up(runner);
    const waiting = `SELECT 1 AS one FROM pg_locks WHERE NOT granted AND relation = 'execution_sessions'::regclass`;
    await eventually(async () => expect(await database.sql(waiting)).toHaveLength(1));
    await writer.commitTransaction();
    await migrated;
    await runner.commitTransaction();
    const stored = `SELECT message_id AS id FROM session_messages WHERE execution_id = 'late'`;
    expect(await database.sql(stored)).toEqual([{ id: 'late' }]);
    await writer.release();
    await runner.release();
  });
});
