import type { MigrationInterface, QueryRunner } from 'typeorm';

export class Teams1800000006000 implements MigrationInterface {
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
        skill_ids text[] NOT NULL,
        execution_environment json NOT NULL,
        created_at timestamptz(3) NOT NULL,
        updated_at timestamptz(3) NOT NULL,
        CONSTRAINT pk_teams PRIMARY KEY (id)
      );
      CREATE INDEX ix_teams_organization_id_created_at ON teams (organization_id, created_at);
      CREATE INDEX ix_agents_organization_id_team_id ON agents (organization_id, team_id);
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX ix_agents_organization_id_team_id; DROP TABLE teams;');
  }
}
