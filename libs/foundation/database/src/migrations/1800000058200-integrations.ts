import type { MigrationInterface, QueryRunner } from 'typeorm';

/** `secret_names` lists the secrets that the configuration refers to. */
export class Integrations1800000058200 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE integrations (
        id text NOT NULL,
        organization_id text NOT NULL,
        name text NOT NULL,
        type text NOT NULL,
        description text,
        configuration json NOT NULL,
        secret_names text[] NOT NULL,
        tags text[] NOT NULL,
        metadata json NOT NULL,
        created_by text,
        created_at timestamptz(3) NOT NULL,
        updated_at timestamptz(3) NOT NULL,
        CONSTRAINT pk_integrations PRIMARY KEY (id),
        CONSTRAINT uq_integrations_organization_id_name UNIQUE (organization_id, name)
      );
      CREATE INDEX ix_integrations_organization_id_created_at ON integrations (organization_id, created_at);
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE integrations;');
  }
}
