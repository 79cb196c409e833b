import type { MigrationInterface, QueryRunner } from 'typeorm';

export class Workflows1800000058300 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE workflows (
        id text NOT NULL,
        organization_id text NOT NULL,
        name text NOT NULL,
        description text,
        status text NOT NULL,
        steps json NOT NULL,
        configuration json NOT NULL,
        team_id text,
        version integer NOT NULL,
        created_by text,
        updated_by text,
        created_at timestamptz(3) NOT NULL,
        updated_at timestamptz(3) NOT NULL,
        CONSTRAINT pk_workflows PRIMARY KEY (id),
        CONSTRAINT uq_workflows_organization_id_name UNIQUE (organization_id, name)
      );
      CREATE INDEX ix_workflows_organization_id_created_at ON workflows (organization_id, created_at, id);
      CREATE TABLE workflow_versions (
        workflow_id text NOT NULL,
        version integer NOT NULL,
        organization_id text NOT NULL,
        steps json NOT NULL,
        configuration json NOT NULL,
        team_id text,
        created_by text,
        created_at timestamptz(3) NOT NULL,
        CONSTRAINT pk_workflow_versions PRIMARY KEY (workflow_id, version),
        CONSTRAINT fk_workflow_versions_workflow_id FOREIGN KEY (workflow_id) REFERENCES workflows (id) ON DELETE CASCADE
      );
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE workflow_versions; DROP TABLE workflows;');
  }
}
