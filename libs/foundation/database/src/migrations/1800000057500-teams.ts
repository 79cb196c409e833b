import type { MigrationInterface, QueryRunner } from 'typeorm';

/** `environment_ids`: environments of the team itself, in addition to those of its members. */
export class Teams1800000057500 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE teams (
        id text NOT NULL,
        organization_id text NOT NULL,
        name text NOT NULL,
        description text,
        status text NOT NULL,
        configuration json NOT NULL,
        runtime text,
        execution_environment json NOT NULL,
        created_at timestamptz(3) NOT NULL,
        updated_at timestamptz(3) NOT NULL,
        environment_ids text[] NOT NULL DEFAULT '{}',
        CONSTRAINT pk_teams PRIMARY KEY (id)
      );
      CREATE INDEX ix_teams_organization_id_created_at ON teams (organization_id, created_at);
      -- Steps of workflows name teams by id or name.
      CREATE INDEX ix_teams_organization_id_name ON teams (organization_id, name);
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE teams;');
  }
}
