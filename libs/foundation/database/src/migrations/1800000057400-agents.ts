import type { MigrationInterface, QueryRunner } from 'typeorm';

export class Agents1800000057400 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE agents (
        id text NOT NULL,
        organization_id text NOT NULL,
        name text NOT NULL,
        description text,
        system_prompt text,
        capabilities text[] NOT NULL,
        configuration json NOT NULL,
        model_id text,
        llm_config json NOT NULL,
        runtime text,
        team_id text,
        environment_ids text[] NOT NULL,
        execution_environment json NOT NULL,
        status text NOT NULL,
        state json NOT NULL,
        last_active_at timestamptz(3),
        error_message text,
        created_at timestamptz(3) NOT NULL,
        updated_at timestamptz(3) NOT NULL,
        CONSTRAINT pk_agents PRIMARY KEY (id)
      );
      CREATE INDEX ix_agents_organization_id_created_at ON agents (organization_id, created_at);
      CREATE INDEX ix_agents_organization_id_team_id ON agents (organization_id, team_id);
      -- Steps of workflows name agents by id or name.
      CREATE INDEX ix_agents_organization_id_name ON agents (organization_id, name);
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE agents;');
  }
}
