import type { MigrationInterface, QueryRunner } from 'typeorm';

export class Models1800000057200 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(MODELS);
    await runner.query(CATALOGUES);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE gateway_models; DROP TABLE model_catalogues; DROP TABLE models;');
  }
}

const MODELS = `
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
  CREATE INDEX ix_models_organization_id_display_order ON models (organization_id, display_order, created_at);`;

/** The models that the model gateway lists. They belong to the gateway, not to an organization. */
const CATALOGUES = `
  CREATE TABLE model_catalogues (
    gateway text NOT NULL,
    claim text NOT NULL,
    claimed_until timestamptz(3) NOT NULL,
    due_at timestamptz(3) NOT NULL,
    fetched_at timestamptz(3),
    failing_since timestamptz(3),
    failures integer NOT NULL,
    CONSTRAINT pk_model_catalogues PRIMARY KEY (gateway)
  );
  CREATE TABLE gateway_models (
    gateway text NOT NULL,
    value text NOT NULL,
    id text NOT NULL,
    label text NOT NULL,
    provider text NOT NULL,
    model_type text NOT NULL,
    description text,
    recommended boolean NOT NULL,
    compatible_runtimes text[] NOT NULL,
    capabilities json NOT NULL,
    pricing json NOT NULL,
    display_order integer NOT NULL,
    created_at timestamptz(3) NOT NULL,
    updated_at timestamptz(3) NOT NULL,
    CONSTRAINT pk_gateway_models PRIMARY KEY (gateway, value),
    CONSTRAINT uq_gateway_models_gateway_id UNIQUE (gateway, id),
    CONSTRAINT fk_gateway_models_gateway FOREIGN KEY (gateway) REFERENCES model_catalogues (gateway) ON DELETE CASCADE
  );`;
