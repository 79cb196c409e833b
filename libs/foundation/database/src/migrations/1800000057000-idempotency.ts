import type { MigrationInterface, QueryRunner } from 'typeorm';

/** `sealed_body` instead of `body`: a response that contains a credential, encrypted. */
export class Idempotency1800000057000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE idempotency_keys (
        organization_id text NOT NULL,
        key text NOT NULL,
        request_digest text NOT NULL,
        status integer NOT NULL,
        body json,
        created_at timestamptz(3) NOT NULL,
        sealed_body bytea,
        CONSTRAINT pk_idempotency_keys PRIMARY KEY (organization_id, key)
      );
      CREATE INDEX ix_idempotency_keys_created_at ON idempotency_keys (created_at);
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE idempotency_keys;');
  }
}
