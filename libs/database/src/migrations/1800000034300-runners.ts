import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Workers name their runner; a runner is created when a worker names it for the first time. */
export class Runners1800000034300 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE runners (
        id text NOT NULL,
        organization_id text NOT NULL,
        name text NOT NULL,
        description text,
        labels json NOT NULL,
        configuration json NOT NULL,
        tags text[] NOT NULL,
        metadata json NOT NULL,
        last_started_at timestamptz(3),
        created_at timestamptz(3) NOT NULL,
        updated_at timestamptz(3) NOT NULL,
        CONSTRAINT pk_runners PRIMARY KEY (id),
        CONSTRAINT uq_runners_organization_id_name UNIQUE (organization_id, name)
      );
      CREATE INDEX ix_runners_organization_id_created_at ON runners (organization_id, created_at);

      ALTER TABLE workers ADD COLUMN runner_name text;
      CREATE INDEX ix_workers_organization_id_runner_name ON workers (organization_id, runner_name)
        WHERE runner_name IS NOT NULL;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP INDEX ix_workers_organization_id_runner_name;
      ALTER TABLE workers DROP COLUMN runner_name;
      DROP TABLE runners;
    `);
  }
}
