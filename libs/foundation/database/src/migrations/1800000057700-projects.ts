import type { MigrationInterface, QueryRunner } from 'typeorm';

export class Projects1800000057700 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE projects (
        id text NOT NULL,
        organization_id text NOT NULL,
        name text NOT NULL,
        key text NOT NULL,
        description text,
        goals text,
        status text NOT NULL,
        visibility text NOT NULL,
        owner_id text,
        owner_email text,
        default_model text,
        settings json NOT NULL,
        restrict_to_environment boolean NOT NULL,
        policy_ids text[] NOT NULL,
        is_default boolean NOT NULL,
        archived_at timestamptz(3),
        created_at timestamptz(3) NOT NULL,
        updated_at timestamptz(3) NOT NULL,
        CONSTRAINT pk_projects PRIMARY KEY (id),
        CONSTRAINT uq_projects_organization_id_key UNIQUE (organization_id, key)
      );
      CREATE UNIQUE INDEX uq_projects_organization_id_default ON projects (organization_id) WHERE is_default;
      CREATE INDEX ix_projects_organization_id_created_at ON projects (organization_id, created_at);
      -- Every start of a run and every deletion of a policy reads the projects that name policies.
      CREATE INDEX ix_projects_organization_id_policies ON projects (organization_id) WHERE policy_ids <> '{}';

      CREATE TABLE project_members (
        id text NOT NULL,
        organization_id text NOT NULL,
        project_id text NOT NULL,
        kind text NOT NULL,
        entity_id text NOT NULL,
        role text,
        added_at timestamptz(3) NOT NULL,
        added_by text,
        CONSTRAINT pk_project_members PRIMARY KEY (id),
        CONSTRAINT uq_project_members_project_id_entity UNIQUE (project_id, kind, entity_id),
        CONSTRAINT fk_project_members_project_id FOREIGN KEY (project_id) REFERENCES projects (id) ON DELETE CASCADE
      );
      CREATE INDEX ix_project_members_entity ON project_members (organization_id, kind, entity_id);
      CREATE INDEX ix_project_members_project_id_added_at ON project_members (project_id, kind, added_at);
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE project_members; DROP TABLE projects;');
  }
}
