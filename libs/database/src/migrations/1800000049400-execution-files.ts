import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The files that executions made. */
export class ExecutionFiles1800000049400 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE execution_files (
        organization_id text NOT NULL,
        execution_id text NOT NULL,
        name text NOT NULL,
        size integer NOT NULL,
        content_type text NOT NULL,
        content bytea NOT NULL,
        created_at timestamptz(3) NOT NULL,
        CONSTRAINT pk_execution_files PRIMARY KEY (organization_id, execution_id, name)
      );`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE execution_files;');
  }
}
