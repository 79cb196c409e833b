import type { MigrationInterface, QueryRunner } from 'typeorm';

export class Models1800000001500 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE models (
        id text NOT NULL,
        organization_id text NOT NULL,
        value text NOT NULL,
        label text NOT NULL,
        provider text NOT NULL,
        model_type text NOT NULL,
        logo text,
        description text,
        enabled boolean NOT NULL,
        recommended boolean NOT NULL,
        compatible_runtimes text[] NOT NULL,
        capabilities json NOT NULL,
        pricing json NOT NULL,
        display_order integer NOT NULL,
        created_at timestamptz(3) NOT NULL,
        updated_at timestamptz(3) NOT NULL,
        CONSTRAINT pk_models PRIMARY KEY (id),
        CONSTRAINT uq_models_organization_id_value UNIQUE (organization_id, value)
      );
      CREATE INDEX ix_models_organization_id_display_order ON models (organization_id, display_order, created_at);
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE models;');
  }
}
