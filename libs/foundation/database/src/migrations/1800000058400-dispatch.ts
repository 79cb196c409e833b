import type { MigrationInterface, QueryRunner } from 'typeorm';

export class Dispatch1800000058400 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE outbox (
        id text NOT NULL,
        topic text NOT NULL,
        payload json NOT NULL,
        traceparent text,
        attempts integer NOT NULL,
        created_at timestamptz(3) NOT NULL,
        next_attempt_at timestamptz(3) NOT NULL,
        CONSTRAINT pk_outbox PRIMARY KEY (id)
      );
      CREATE INDEX ix_outbox_next_attempt_at ON outbox (next_attempt_at);
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE outbox;');
  }
}
