import type { MigrationInterface, QueryRunner } from 'typeorm';

export class Secrets1800000058100 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE secrets (
        organization_id text NOT NULL,
        name text NOT NULL,
        sealed bytea NOT NULL,
        key_id text NOT NULL,
        created_by text,
        updated_by text,
        created_at timestamptz(3) NOT NULL,
        updated_at timestamptz(3) NOT NULL,
        CONSTRAINT pk_secrets PRIMARY KEY (organization_id, name)
      );
      CREATE INDEX ix_secrets_organization_id_created_at ON secrets (organization_id, created_at);
      CREATE INDEX ix_secrets_key_id ON secrets (key_id);
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE secrets;');
  }
}
